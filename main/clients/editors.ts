import type { Format } from './client.ts';
import type { EntryEditor } from './editors/editor.ts';
import { jsonEditor } from './editors/json.ts';
import { tomlEditor } from './editors/toml.ts';
import { yamlEditor } from './editors/yaml.ts';

const EDITORS: Record<Format, EntryEditor> = { json: jsonEditor, toml: tomlEditor, yaml: yamlEditor };

/** The editor of a format. */
export function editorOf(format: Format): EntryEditor {
  return EDITORS[format];
}
