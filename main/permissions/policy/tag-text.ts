import { CausewayError } from '../../platform/errors.ts';

/** Tags of requests, by name, for the gateway's records, policies and limits. */
export type RequestTags = Readonly<Record<string, string>>;

/** The longest name and value, in characters, and the most that one source may add to a request, in bytes. */
const MAX_NAME = 128;
const MAX_VALUE = 256;
const MAX_BYTES = 2_048;

/** What the tags of one source lack to be sent, as a sentence that names the tag; undefined if nothing. */
export function tagFault(tags: RequestTags): string | undefined {
  for (const [name, value] of Object.entries(tags)) {
    const shown = JSON.stringify(name.slice(0, MAX_NAME));
    if (name.trim() === '' || name.length > MAX_NAME)
      return `A name of a tag has 1 to ${MAX_NAME} characters, and ${shown} does not.`;
    if (value.length > MAX_VALUE) return `The tag ${shown} is longer than ${MAX_VALUE} characters.`;
    const bad = unsendable(name) ?? unsendable(value);
    if (bad !== undefined) return `The tag ${shown} has a character that cannot be sent (${bad}).`;
  }
  const bytes = tagsText(tags).length;
  return bytes > MAX_BYTES ? `These tags take ${bytes} bytes in the header. At most ${MAX_BYTES} are sent.` : undefined;
}

/** Control characters, and halves of characters that are written as two. */
function unsendable(text: string): string | undefined {
  const found = /\p{Cc}|\p{Cs}|\p{Zl}|\p{Zp}/u.exec(text)?.[0].codePointAt(0);
  return found === undefined ? undefined : `U+${found.toString(16).toUpperCase().padStart(4, '0')}`;
}

/** Tags as one line of JSON in ASCII, which is all that a header holds. */
export function tagsText(tags: RequestTags): string {
  return JSON.stringify(tags).replaceAll(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Tags in JSON: an object of texts. @throws {CausewayError} `usage` @param from what to name in the error */
export function parseTags(json: string, from: string): RequestTags {
  const remedy = 'Set it to one line of JSON, such as {"team":"data"}.';
  const tags = tagsIn(json);
  if (!tags) throw new CausewayError('usage', `${from} is not a JSON object whose values are texts.`, { remedy });
  const fault = tagFault(tags);
  if (fault !== undefined) throw new CausewayError('usage', `${from}: ${fault}`, { remedy });
  return tags;
}

/** The tags in a text of JSON, whatever they are; undefined if it is no object of texts. */
export function tagsIn(json: string): RequestTags | undefined {
  let read: unknown;
  try {
    read = JSON.parse(json);
  } catch {
    return undefined;
  }
  if (typeof read !== 'object' || read === null || Array.isArray(read)) return undefined;
  const entries = Object.entries(read);
  const isOfTexts = (all: [string, unknown][]): all is [string, string][] =>
    all.every(([, value]) => typeof value === 'string');
  return isOfTexts(entries) ? Object.fromEntries(entries) : undefined;
}
