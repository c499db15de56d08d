import { createScanner } from 'jsonc-parser';
import type { ClientFacts } from './client.ts';

/** Token kinds by number: the library names them in a constant enumeration, which does not survive type stripping. */
const [CLOSING, COMMA, COMMENTS, TRIVIA, END] = [[2, 4], 5, [12, 13], [12, 13, 14, 15], 17];

/** What is in a JSON text that the client's own reader refuses, as sentences. Whatever was there is left there. */
export function describeText({ mark, body }: { mark: string; body: string }, client: ClientFacts): string[] {
  const { accepts, format, name } = client;
  if (!accepts || format !== 'json') return [];
  const { comments, trailingCommas } = scan(body);
  const found: [boolean, boolean, string][] = [
    [mark !== '', accepts.byteOrderMark, 'a byte order mark'],
    [comments, accepts.comments, 'comments'],
    [trailingCommas, accepts.trailingCommas, 'a comma behind the last item'],
  ];
  return found.flatMap(([present, accepted, what]) =>
    present && !accepted ? [`The file has ${what}, which ${name} does not accept: it may ignore the whole file.`] : [],
  );
}

function scan(body: string): { comments: boolean; trailingCommas: boolean } {
  const scanner = createScanner(body);
  let [comments, trailingCommas, afterComma] = [false, false, false];
  for (let token: number = scanner.scan(); token !== END; token = scanner.scan()) {
    if (COMMENTS.includes(token)) comments = true;
    else if (CLOSING.includes(token) && afterComma) trailingCommas = true;
    if (!TRIVIA.includes(token)) afterComma = token === COMMA;
  }
  return { comments, trailingCommas };
}
