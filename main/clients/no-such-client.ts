import { CausewayError, sentences } from '../platform/errors.ts';
import { didYouMean, similarNames } from '../platform/similar-names.ts';
import type { ClientFacts } from './client.ts';

/** The error for a text that is no client's id or name, with those that are close to it. */
export function noSuchClient(text: string, clients: readonly Named[]): CausewayError {
  const similar = similarNames(text, clients.flatMap(namesOf));
  const ids = clients.filter((client) => namesOf(client).some((name) => similar.includes(name))).map(({ id }) => id);
  return new CausewayError('not_found', `There is no client "${text}".`, {
    remedy: sentences(didYouMean(ids), '`causeway clients --all` lists the clients that Causeway knows.'),
    action: { do: 'paste-by-hand' },
    candidates: clients.map(({ id, name }) => ({ id, name })),
  });
}

type Named = Pick<ClientFacts, 'id' | 'name' | 'also'>;

function namesOf({ id, name, also = [] }: Named): string[] {
  return [id, name, ...also];
}
