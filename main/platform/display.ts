export interface DisplayOptions {
  /** The maximum number of characters (code points); longer text ends with `…`. */
  maxLength?: number;
  /** Keeps line breaks, if a text can have several lines; a name is always one line. */
  lines?: boolean;
}

/** Longer than any usual name, and short enough for a line in a window. */
const NAME_LENGTH = 200;

/** Replaces text that must not be shown. */
const REPLACEMENT = '\uFFFD';

/** The control characters that separate words or lines. */
// Stryker disable next-line Regex: it would write `\V`, with which the module cannot be loaded
const LINE_BREAKS = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/gu;
/**
 * What a terminal obeys (Cc, among them ESC and the C1 controls such as U+009B), what turns the direction of the text
 * around it or is not seen at all (Cf and the default-ignorable code points: bidi controls, zero-width characters, tags,
 * fillers), and halves of surrogate pairs.
 */
const UNSAFE = onFirstUse(String.raw`[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]`);
/** Invisible characters that belong in text: inside an emoji, and between letters of scripts that join them. */
const BELONGS = onFirstUse(
  [
    String.raw`(?<=\p{Extended_Pictographic}\p{Emoji_Modifier}?\uFE0F?)\u200D(?=\p{Extended_Pictographic})`,
    String.raw`(?<=[\p{Emoji}\p{Extended_Pictographic}])\uFE0F`,
    `(?<=(?!\\p{Cf})${joinedLetter()})[\\u200C\\u200D](?=(?!\\p{Cf})${joinedLetter()})`,
  ].join('|'),
);
/** Control characters and line ends. */
const CONTROLS = onFirstUse(String.raw`[\p{Cc}\u2028\u2029]+`);
/** More combining marks than any script puts on one letter. They would cover the lines above and below. */
const STACKED_MARKS = onFirstUse(String.raw`(\p{M}{4})\p{M}+`);

/**
 * A name or text from outside (the workspace, a server, an AI client, a file) as it may be shown: in the tray, the window,
 * a notification, a report, the log and a terminal alike. It cannot move a cursor, begin a line, turn its surroundings around or
 * hide a part of itself: what could is shown as U+FFFD. JSON output is data and stays exact; nobody's identity is decided
 * by what this gives.
 */
export function displayText(text: string, { maxLength = NAME_LENGTH, lines = false }: DisplayOptions = {}): string {
  // Four times the shown length is enough to compute what is shown, however long the text is.
  const start = text.slice(0, maxLength * 4);
  const broken = start.replace(LINE_BREAKS, lines ? '\n' : ' ').replaceAll('\t', ' ');
  const safe = withoutControls(broken, lines).replace(STACKED_MARKS(), '$1');
  const shown = (lines ? safe.replace(/[^\S\n]{9,}/gu, ' ') : safe.replace(/\s+/gu, ' ')).trim();
  const characters = [...shown];
  const isCut = characters.length > maxLength || start.length < text.length;
  return isCut
    ? `${characters
        .slice(0, maxLength - 1)
        .join('')
        .trimEnd()}…`
    : shown;
}

/**
 * The same for a line that is laid out already, such as a row of a table or a whole message: every character that must
 * not be shown becomes U+FFFD, and nothing is cut or moved.
 */
export function withoutControls(text: string, keepsLines = false): string {
  if (text.search(UNSAFE()) < 0) return text;
  const kept = new Set(Array.from(text.matchAll(BELONGS()), ({ index }) => index));
  return text.replace(UNSAFE(), (character, index: number) =>
    kept.has(index) || (keepsLines && character === '\n') ? character : REPLACEMENT,
  );
}

/** Spaces that do not look like what they are. */
const ODD_SPACES = onFirstUse(String.raw`[^\P{Zs} ]`);

/**
 * The same for a text that somebody decides about: each character that cannot be seen, or looks like a plain space and is none,
 * is shown by its code (`⟨U+202E⟩`), and every other one as it is. Line ends and tabs stay.
 */
export function revealed(text: string): string {
  const plain = text.replaceAll('\r\n', '\n');
  const kept = new Set(Array.from(plain.matchAll(BELONGS()), ({ index }) => index));
  const coded = plain.replace(UNSAFE(), (character, index: number) =>
    kept.has(index) || character === '\n' || character === '\t' ? character : codeOf(character),
  );
  return coded.replace(ODD_SPACES(), codeOf);
}

function codeOf(character: string): string {
  return `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`;
}

function joinedLetter(): string {
  const scripts = 'Arabic Devanagari Bengali Tamil Malayalam Kannada Telugu Sinhala'.split(' ');
  return `[${scripts.map((script) => `\\p{Script=${script}}`).join('')}]`;
}

/** The same for a message in one line: what ends a line or moves a cursor becomes a space. */
export function messageLine(text: string): string {
  return withoutControls(text.replace(CONTROLS(), ' '));
}

/** A regular expression that is compiled on first use: V8 looks up Unicode properties when it compiles one, which takes 1 ms of a start. */
function onFirstUse(pattern: string): () => RegExp {
  let made: RegExp | undefined;
  return () => {
    made ??= new RegExp(pattern, 'gu');
    return made;
  };
}
