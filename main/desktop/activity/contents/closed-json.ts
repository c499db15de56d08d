const ENDS: Record<string, string> = { '{': '}', '[': ']' };
/** What a JSON text may consist of, as far as it is whole: half an escape is none. */
const CHARACTERS = /(?:[^"\\]+|\\u[\da-f]{4}|\\[^u])*/iy;

/**
 * The beginning of a JSON value as a value of its own: a text in which it ends is shortened, what else is not there whole
 * is left out, and what is open is closed.
 */
export function closedJson(beginning: string): string {
  const open: string[] = [];
  let kept = { end: 0, inText: false };
  let before = '';
  for (let at = 0; at < beginning.length; at += 1) {
    const character = beginning[at] ?? '';
    if (/\s/.test(character)) continue;
    if (character === '"') {
      const isName = open.at(-1) === '}' && before !== ':';
      const end = endOfText(beginning, at + 1);
      const isWhole = beginning[end] === '"';
      // A name says nothing without its value.
      if (!isName) kept = { end: isWhole ? end + 1 : end, inText: !isWhole };
      at = isWhole ? end : beginning.length;
    } else if (character === ',') kept = { end: at, inText: false };
    else if (ENDS[character] !== undefined) {
      open.push(ENDS[character]);
      kept = { end: at + 1, inText: false };
    } else if (character === open.at(-1)) {
      open.pop();
      kept = { end: at + 1, inText: false };
    }
    before = character;
  }
  return `${beginning.slice(0, kept.end)}${kept.inText ? '"' : ''}${open.toReversed().join('')}`;
}

function endOfText(json: string, from: number): number {
  CHARACTERS.lastIndex = from;
  CHARACTERS.exec(json);
  return CHARACTERS.lastIndex;
}
