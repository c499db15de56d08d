import type { Exchange } from '../../workspace/wire.ts';

/** How a request and its answer are written, on the terminal and on the page. */

/** Headers that say something about a requirement; the rest is what HTTP needs. */
const REQUEST_HEADERS = ['content-type', 'accept', 'mcp-session-id', 'mcp-protocol-version'];
const ANSWER_HEADERS = ['content-type', 'mcp-session-id', 'www-authenticate'];

/** `PATCH /api/… 200`, with the query. */
export function requestLine({ logged }: Exchange): string {
  const query = new URLSearchParams(logged.query).toString();
  const path = `${logged.path}${query === '' ? '' : `?${decodeURIComponent(query)}`}`;
  return `${logged.method} ${path} ${logged.status ?? 'unanswered'}`;
}

/** The request's headers and its body. */
export function sentText({ logged, authorization, sent }: Exchange): string {
  const named = REQUEST_HEADERS.flatMap((name) => {
    const value = logged.headers[name];
    return value === undefined ? [] : [`${name}: ${value}`];
  });
  return [...(authorization === undefined ? [] : [`authorization: ${authorization}`]), ...named, ...bodyOf(sent)].join(
    '\n',
  );
}

/** The answer's headers and its body. */
export function answeredText({ answerHeaders, answered }: Exchange): string {
  const named = ANSWER_HEADERS.flatMap((name) => {
    const value = answerHeaders[name];
    return value === undefined ? [] : [`${name}: ${String(value)}`];
  });
  return [...named, ...bodyOf(answered)].join('\n');
}

function bodyOf(text: string): string[] {
  return text === '' ? [] : ['', text.trimEnd()];
}

/** A text in one line, with its end left out where it is long. */
export function inShort(text: string, length: number): string {
  const line = text.replaceAll(/(?<=\S)\s+/g, ' ').trimEnd();
  return line.length <= length ? line : `${line.slice(0, length - 1)}…`;
}
