import type { CallContents, ContentsPart } from '../../../preload/contract.ts';
import { REDACTED, redact } from '../../platform/redact.ts';
import type { RecordedCall, RecordedFrame } from './recorded-contents.ts';

type Block = ContentsPart['blocks'][number];

/** What was recorded of a call, as it is shown and copied. */
export function readContents(call: RecordedCall | undefined): CallContents {
  if (!call) return { status: 'deleted' };
  const { request, answer } = call;
  return {
    status: 'kept',
    request: partOf(request, requestBlocks),
    answer: answer && partOf(answer, answerBlocks),
  };
}

/** The same as one text, for the clipboard. */
export function contentsAsText(call: RecordedCall | undefined): string {
  const contents = readContents(call);
  if (contents.status === 'deleted') return '';
  const { request, answer } = contents;
  return [textOf('What was asked', request), ...(answer ? [textOf('What was answered', answer)] : [])].join('\n');
}

/** A request or an answer as a value for a file: the JSON that it is, or the text of its beginning. */
export function frameAsValue(frame: RecordedFrame): unknown {
  const value = isCut(frame) ? undefined : jsonIn(frame.text);
  if (value !== undefined) return redactedJson(value);
  return `${redact(frame.text)}${isCut(frame) ? ` [cut: ${frame.bytes} bytes in all]` : ''}`;
}

function textOf(heading: string, { blocks, bytes, isCut }: ContentsPart): string {
  const cut = isCut ? [`Only the beginning was recorded; it has ${bytes} bytes in all.`] : [];
  return [heading, ...cut, ...blocks.map(({ title, text }) => `${title}:\n${text}`), ''].join('\n');
}

function partOf(frame: RecordedFrame, blocksOf: (value: unknown) => Block[]): ContentsPart {
  const { bytes } = frame;
  const value = jsonIn(isCut(frame) ? closedJson(frame.text) : frame.text);
  const blocks =
    value === undefined ? [{ title: 'As it was sent', text: redact(frame.text) }] : blocksOf(redactedJson(value));
  return { blocks, bytes, isCut: isCut(frame) };
}

/** Undefined for what is no JSON. */
function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // It is shown as it was sent.
    return undefined;
  }
}

function requestBlocks(frame: unknown): Block[] {
  const { method, params } = Object(frame);
  if (method !== 'tools/call') return blockOf('Parameters', params);
  const { name: _tool, arguments: given, ...others } = Object(params);
  return [...blockOf('Arguments', given), ...blockOf('Other parameters', others)];
}

function answerBlocks(frame: unknown): Block[] {
  const { result, error } = Object(frame);
  if (error !== undefined) return blockOf('Error', error);
  const { content, structuredContent, ...others } = Object(result);
  const items: unknown[] = Array.isArray(content) ? content : [];
  return [
    ...items.flatMap(contentBlock),
    ...(Array.isArray(content) ? [] : blockOf('Content', content)),
    ...blockOf('Structured content', structuredContent),
    ...blockOf('Result', others),
  ];
}

/** One item of a tool's answer (MCP › Tools › Tool Result). Texts are shown as texts, the rest as the JSON that it is. */
function contentBlock(item: unknown): Block[] {
  const { type, text } = Object(item);
  if (type === 'text' && typeof text === 'string') return [{ title: 'Text', text: legible(text) }];
  return blockOf(typeof type === 'string' ? `Content of the type ${type}` : 'Content', item);
}

/** Nothing for what is not there, or empty. */
function blockOf(title: string, value: unknown): Block[] {
  if (value === undefined || (isObject(value) && Object.keys(value).length === 0)) return [];
  return [{ title, text: JSON.stringify(value, null, 2) }];
}

/** A text that is JSON itself, as the answers of some servers are, is set out as such. */
function legible(text: string): string {
  const value = /^\s*[[{]/.test(text) ? jsonIn(text) : undefined;
  return value === undefined ? text : JSON.stringify(redactedJson(value), null, 2);
}

function isCut({ bytes, held }: RecordedFrame): boolean {
  return held < bytes;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const ENDS: Record<string, string> = { '{': '}', '[': ']' };
/** What a JSON text may consist of, as far as it is whole: half an escape is none. */
const CHARACTERS = /(?:[^"\\]+|\\u[\da-f]{4}|\\[^u])*/iy;

/**
 * The beginning of a JSON value as a value of its own: a text in which it ends is shortened, what else is not there whole
 * is left out, and what is open is closed.
 */
export function closedJson(beginning: string): string {
  const open: string[] = [];
  let kept = { end: 0, inText: false };
  let before = '';
  for (let at = 0; at < beginning.length; at += 1) {
    const character = beginning[at] ?? '';
    if (/\s/.test(character)) continue;
    if (character === '"') {
      const isName = open.at(-1) === '}' && before !== ':';
      const end = endOfText(beginning, at + 1);
      const isWhole = beginning[end] === '"';
      // A name says nothing without its value.
      if (!isName) kept = { end: isWhole ? end + 1 : end, inText: !isWhole };
      at = isWhole ? end : beginning.length;
    } else if (character === ',') kept = { end: at, inText: false };
    else if (ENDS[character] !== undefined) {
      open.push(ENDS[character]);
      kept = { end: at + 1, inText: false };
    } else if (character === open.at(-1)) {
      open.pop();
      kept = { end: at + 1, inText: false };
    }
    before = character;
  }
  return `${beginning.slice(0, kept.end)}${kept.inText ? '"' : ''}${open.toReversed().join('')}`;
}

function endOfText(json: string, from: number): number {
  CHARACTERS.lastIndex = from;
  CHARACTERS.exec(json);
  return CHARACTERS.lastIndex;
}

/** What is nested deeper than this is left out: set out for reading, it would be mostly indentation. */
const DEEPEST = 50;

/** A JSON value without what could sign anybody in: every text and every name in it passes the log's redactor. */
function redactedJson(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return redact(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === DEEPEST) return '[nested too deeply to be shown]';
  if (Array.isArray(value)) return value.map((item) => redactedJson(item, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      redact(name),
      isSecret(name) ? REDACTED : redactedJson(inner, depth + 1),
    ]),
  );
}

/** Whether it is a name under which secrets travel. */
function isSecret(name: string): boolean {
  return redact(`${name}=x`).endsWith(REDACTED);
}
