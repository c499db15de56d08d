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
 * Whether entries already exist where newer versions of a client keep them. In a text that has neither, they do not count: every
 * version reads the older place. @throws {CausewayError} `invalid_file`
 */
export function hasNewerLayout({ format, newer }: ClientFacts, file: string, { text, placeAt }: Excerpt): boolean {
  if (!newer) return false;
  const holder = editorOf(format).read(text, { file, key: newer.key.slice(0, -1), placeAt });
  const there = holder.get(newer.key.at(-1) ?? '');
  // Under the older key, an entry could have that very name.
  return typeof there === 'object' && there !== null && !('command' in there || 'url' in there);
}

/** The client with the key and shapes of one layout. */
export function laidOut(client: ClientFacts, isNewer: boolean): ClientFacts {
  const { newer, ...older } = client;
  return newer && isNewer ? { ...older, ...newer } : older;
}
