import { createScanner, type Node } from 'jsonc-parser';
import { lineEndOf, type Splice } from './editor.ts';

/** Token kinds by number: the library names them in a constant enumeration, which does not survive type stripping. */
const COMMA: number = 5;
const COMMENTS: number[] = [12, 13];
const LINE_BREAK: number = 14;
const SPACES: number = 15;

/** A property of an object. */
export interface JsonProperty {
  key: string;
  value: Node;
  /** The position of the property's first character; `end` is the position after its last one. */
  start: number;
  end: number;
}

/** An object's properties, in order. */
export function jsonProperties(node: Node): JsonProperty[] {
  return (node.children ?? []).flatMap(({ children: [key, value] = [], offset, length }) =>
    key && value ? [{ key: String(key.value), value, start: offset, end: offset + length }] : [],
  );
}

/** Inserts a property at an object's end, formatted like the rest. */
export function insertProperty(text: string, root: Node, object: Node, key: string, value: unknown): Splice[] {
  const members = jsonProperties(object);
  const last = members.at(-1);
  const style = styleOf(text, root, object, last);
  const property = `${JSON.stringify(key)}:${style.tight ? '' : ' '}${render(value, style)}`;
  if (!last) {
    const inner = text.slice(object.offset + 1, object.offset + object.length - 1);
    const after = style.breaks && !/\n/.test(inner) ? style.eol + style.outer : '';
    return [{ at: object.offset + 1, insert: `${style.breaks ? style.eol + style.indent : ''}${property}${after}` }];
  }
  const { comma, lineEnd } = lookBehind(text, last.end);
  const space = style.breaks ? style.eol + style.indent : style.tight ? '' : ' ';
  if (comma !== undefined) return [{ at: lineEnd, insert: `${space}${property},` }];
  if (lineEnd === last.end) return [{ at: last.end, insert: `,${space}${property}` }];
  return [
    { at: last.end, insert: ',' },
    { at: lineEnd, insert: space + property },
  ];
}

/** Removes a property together with the white space before it and its comma. */
export function removeProperty(text: string, object: Node, key: string): Splice[] {
  const members = jsonProperties(object);
  const index = members.findLastIndex((member) => member.key === key);
  const member = members[index];
  if (!member) return [];
  const before = /(\r\n|\n|\r)?[ \t]*$/.exec(text.slice(0, member.start))?.[0].length ?? 0;
  const own = { at: member.start - before, remove: member.end - member.start + before };
  const previous = members[index - 1];
  const comma = lookBehind(text, member.end).comma ?? (previous && lookBehind(text, previous.end).comma);
  return comma === undefined ? [own] : [own, { at: comma, remove: 1 }];
}

/** Replaces a value. */
export function replaceValue(text: string, node: Node, value: unknown): Splice {
  const before = text.slice(0, node.offset);
  const line = before.slice(before.lastIndexOf('\n') + 1);
  const outer = /^[ \t]*/.exec(line)?.[0] ?? '';
  const source = text.slice(node.offset, node.offset + node.length);
  const unit = unitOf(text);
  const breaks = /\n/.test(source);
  const style = { eol: lineEndOf(text), unit, outer, indent: outer, breaks, tight: !breaks && !/": /.test(text) };
  return { at: node.offset, remove: node.length, insert: render(value, style) };
}

interface Style {
  eol: string;
  /** One level of indentation. */
  unit: string;
  /** The indentation of the object's own line. */
  outer: string;
  indent: string;
  /** Whether properties are on separate lines. */
  breaks: boolean;
  /** Whether the text has no spaces at all. */
  tight: boolean;
}

function styleOf(text: string, root: Node, object: Node, last: JsonProperty | undefined): Style {
  const sourceOf = ({ offset, length }: Node) => text.slice(offset, offset + length);
  const breaks = last ? /\n/.test(sourceOf(object)) : /\n/.test(sourceOf(root)) || jsonProperties(root).length === 0;
  const unit = unitOf(text);
  const outer = indentAt(text, object.offset);
  const own = last && /(?:^|\n)([ \t]*)$/.exec(text.slice(0, last.start))?.[1];
  const tight = !breaks && !/": /.test(sourceOf(root)) && jsonProperties(root).length > 0;
  return { eol: lineEndOf(text), unit, outer, indent: own ?? outer + unit, breaks, tight };
}

function indentAt(text: string, offset: number): string {
  const before = text.slice(0, offset);
  return /^[ \t]*/.exec(before.slice(before.lastIndexOf('\n') + 1))?.[0] ?? '';
}

/** The indentation of the first indented property; two spaces if there is none. */
function unitOf(text: string): string {
  return /(?:^|\n)([ \t]+)"/.exec(text)?.[1] ?? '  ';
}

function render(value: unknown, { breaks, tight, eol, unit, indent }: Style): string {
  if (tight) return JSON.stringify(value);
  const lines = JSON.stringify(value, null, breaks ? unit : 1).split('\n');
  return breaks ? lines.join(eol + indent) : lines.map((line) => line.trim()).join(' ');
}

/** The comma behind a value, and where the value's line ends, comments that begin in it included. */
function lookBehind(text: string, end: number): { comma: number | undefined; lineEnd: number } {
  const scanner = createScanner(text);
  scanner.setPosition(end);
  let comma: number | undefined;
  let lineEnd = end;
  let sameLine = true;
  for (;;) {
    const token: number = scanner.scan();
    if (token === COMMA && comma === undefined) {
      comma = scanner.getTokenOffset();
      lineEnd = comma + 1;
      sameLine = true;
    } else if (COMMENTS.includes(token)) {
      if (sameLine) lineEnd = scanner.getTokenOffset() + scanner.getTokenLength();
    } else if (token === LINE_BREAK) {
      sameLine = false;
    } else if (token !== SPACES) {
      return { comma, lineEnd };
    }
  }
}
