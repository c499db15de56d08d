import type { ClientFacts, Format } from './client.ts';
import type { EditTarget, EntryEditor } from './editors/editor.ts';
import type { Excerpt } from './editors/excerpt.ts';
import { jsonEditor } from './editors/json.ts';
import { tomlEditor } from './editors/toml.ts';
import { yamlEditor } from './editors/yaml.ts';

const EDITORS: Record<Format, EntryEditor> = { json: jsonEditor, toml: tomlEditor, yaml: yamlEditor };

/** The editor of a format. */
export function editorOf(format: Format): EntryEditor {
  return EDITORS[format];
}

/** The place of a client's entries in a file. */
export function editTarget({ key, list, preamble }: ClientFacts, file: string, excerpt?: Excerpt): EditTarget {
  return { file, key, list, preamble, placeAt: excerpt?.placeAt };
}

/**
 * The client as this text has it: with the newer key and shapes where entries already exist. A text that has neither
 * keeps the older ones, which every version reads. @throws {CausewayError} `invalid_file`
 */
export function layoutIn(client: ClientFacts, file: string, { text, placeAt }: Excerpt): ClientFacts {
  const { newer, ...older } = client;
  if (!newer) return client;
  const holder = editorOf(client.format).read(text, { file, key: newer.key.slice(0, -1), placeAt });
  const there = holder.get(newer.key.at(-1) ?? '');
  // Under the older key, an entry could have that very name.
  const isEntry = typeof there !== 'object' || there === null || 'command' in there || 'url' in there;
  return isEntry ? older : { ...older, ...newer };
}
