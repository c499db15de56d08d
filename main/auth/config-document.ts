/** One `[section]` of a configuration file, with the lines that it takes up so that an edit touches nothing else. */
export interface ConfigSection {
  name: string;
  /** Keys and values as read; a key given twice has its last value. */
  values: Map<string, string>;
  /** Index of the `[name]` line; -1 for the keys that stand before any section, which belong to `[DEFAULT]`. */
  header: number;
  /** Index of the line after the last key (or after the header where there is none). */
  end: number;
}

export interface ConfigDocument {
  /** The file's lines, without their line ends. */
  lines: string[];
  eol: '\n' | '\r\n';
  sections: ConfigSection[];
}

/**
 * Reads the INI dialect of the Databricks configuration file. It is not that of the `ini` package, which splits section
 * names at dots and values at `#` and `;`: here a section is named literally, a comment after a value needs a space
 * before it, `:` separates as `=` does, and quotes around a value are dropped. A line that is none of these is skipped.
 */
export function parseConfig(text: string): ConfigDocument {
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const lines = text.split(/\r?\n/);
  const sections: ConfigSection[] = [];
  for (const [index, raw] of lines.entries()) {
    const line = (index === 0 ? raw.replace(/^\uFEFF/, '') : raw).trim();
    if (line === '' || line.startsWith('#') || line.startsWith(';')) continue;
    const title = /^\[(.*)\]/.exec(line)?.[1];
    if (title !== undefined) {
      sections.push({ name: title.trim(), values: new Map(), header: index, end: index + 1 });
      continue;
    }
    const pair = /^([^=:]+)[=:](.*)$/.exec(line);
    if (!pair) continue;
    let section = sections.at(-1);
    if (!section) {
      section = { name: 'DEFAULT', values: new Map(), header: -1, end: 0 };
      sections.push(section);
    }
    section.values.set((pair[1] ?? '').trim(), bareValue((pair[2] ?? '').trim()));
    section.end = index + 1;
  }
  return { lines, eol, sections };
}

/** Every value of a section, sections of the same name merged in their order; `undefined` if there is none. */
export function sectionValues(document: ConfigDocument, name: string): Map<string, string> | undefined {
  const found = document.sections.filter((section) => section.name === name);
  return found.length === 0 ? undefined : new Map(found.flatMap((section) => [...section.values]));
}

function bareValue(text: string): string {
  const quoted = /^(["'`])(.*?)\1(?:\s+[#;].*)?$/.exec(text);
  if (quoted) return quoted[2] ?? '';
  return /^[#;]/.test(text) ? '' : text.replace(/\s+[#;].*$/, '');
}
