import type { ClientFacts } from './client.ts';
import type { Target } from './editors/editor.ts';
import { editorOf } from './editors.ts';

/** Where a client's entries are in a file. */
export function targetOf({ key, list, preamble }: ClientFacts, file: string): Target {
  return { file, key, list, preamble };
}

/**
 * The client as this text has it: with the newer key and shapes where entries already stand there. A text that has neither
 * keeps the older ones, which every version reads. @throws {CausewayError} `invalid_file`
 */
export function layoutIn(client: ClientFacts, file: string, text: string): ClientFacts {
  const { newer, ...older } = client;
  if (!newer) return client;
  const holder = editorOf(client.format).read(text, { file, key: newer.key.slice(0, -1) });
  const there = holder.get(newer.key.at(-1) ?? '');
  // Under the older key, an entry could have that very name.
  const isEntry = typeof there !== 'object' || there === null || 'command' in there || 'url' in there;
  return isEntry ? older : { ...older, ...newer };
}
