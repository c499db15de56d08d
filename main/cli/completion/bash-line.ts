/** A command line of bash up to the cursor, and what bash will put in the place of its end. */
export interface BashLine {
  /** The whole words before the cursor, without the program's name. */
  words: string[];
  /** The word at the cursor, without quotes. */
  current: string;
  /** How many characters of `current` stand before the part that bash replaces. */
  kept: number;
  /** The quote that is open at the cursor. */
  quote: '"' | "'" | undefined;
}

/**
 * Reads what bash gives to a completion: COMP_LINE, COMP_POINT (in bytes) and COMP_WORDBREAKS. Bash splits words at
 * characters such as `:` and `@`, which names may hold, and replaces only what stands behind the last of them.
 */
export function readBashLine([line = '', point = '', breaks = '']: readonly string[]): BashLine {
  const text = Buffer.from(line).subarray(0, Number(point)).toString('utf8');
  const words: string[] = [];
  let current = '';
  let isWord = false;
  let kept = 0;
  let quote: BashLine['quote'];
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (quote === undefined && /\s/.test(character)) {
      if (isWord) words.push(current);
      current = '';
      isWord = false;
      kept = 0;
      continue;
    }
    isWord = true;
    if (character === '\\' && quote !== "'") {
      const next = text.charAt(at + 1);
      // Between double quotes, it escapes few characters (Bash Reference Manual, 3.1.2.3).
      const stays = quote === '"' && !'$`"\\\n'.includes(next);
      current += stays ? `\\${next}` : next;
      at += 1;
    } else if (quote === undefined && (character === '"' || character === "'")) {
      quote = character;
      kept = current.length;
    } else if (character === quote) {
      quote = undefined;
      kept = current.length;
    } else {
      current += character;
      if (quote === undefined && breaks.includes(character)) kept = current.length;
    }
  }
  return { words: words.slice(1), current, kept, quote };
}

/** A candidate as bash is to insert it: whatever it holds, it is one word, and nothing in it is run. */
export function quoteForBash(value: string, { kept, quote }: BashLine): string {
  const inserted = value.slice(kept);
  if (quote === "'") return inserted.replaceAll("'", String.raw`'\''`);
  if (quote === '"') return inserted.replace(/["$`\\!]/g, String.raw`\$&`);
  return inserted.replace(/[^\p{L}\p{N}\p{M}_.,:/@%+=-]/gu, String.raw`\$&`);
}
