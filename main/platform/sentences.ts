/** A mark that ends a sentence, or leads on to what follows, also within closing quotes and brackets. */
const ENDED = /[.!?…:;]["'”’)\]]*$/u;

/** A text as a whole sentence: what others say often lacks the full stop. Empty stays empty. */
export function asSentence(text: string): string {
  const trimmed = text.trim();
  return trimmed === '' || ENDED.test(trimmed) ? trimmed : `${trimmed}.`;
}

/** Texts one after the other, each a sentence of its own; the last one as it is, for it may end with a command. */
export function sentences(...texts: readonly (string | null | undefined)[]): string {
  const said = texts.flatMap((text) => text?.trim() || []);
  return said.map((text, index) => (index === said.length - 1 ? text : asSentence(text))).join(' ');
}
