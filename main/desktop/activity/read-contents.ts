import type { CallContents, ContentsPart } from '../../../preload/contract.ts';
import { membersOf } from '../../bridge/frame/members.ts';
import { jsonIn } from '../../platform/json.ts';
import { clearedText } from '../../platform/outside-text.ts';
import { isSecretName, REDACTED } from '../../platform/redact.ts';
import type { RecordedCall, RecordedFrame } from './recorded-contents.ts';

type Block = ContentsPart['blocks'][number];

/** The recorded contents of a call, as they are shown and copied. */
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
  return [textOf('Request', request), ...(answer ? [textOf('Response', answer)] : [])].join('\n');
}

/** A request or an answer as a value for a file: its JSON, or its text if it was cut. */
export function frameAsValue(frame: RecordedFrame): unknown {
  const value = isCut(frame) ? undefined : jsonIn(frame.text);
  if (value !== undefined) return redactedJson(value);
  return `${clearedText(frame.text)}${isCut(frame) ? ` [cut: ${frame.bytes} bytes in all]` : ''}`;
}

function textOf(heading: string, { blocks, bytes, isCut }: ContentsPart): string {
  const cut = isCut ? [`Only the first part was recorded, of ${bytes} bytes in total.`] : [];
  return [heading, ...cut, ...blocks.map(({ title, text }) => `${title}:\n${text}`), ''].join('\n');
}

function partOf(frame: RecordedFrame, blocksOf: (value: unknown) => Block[]): ContentsPart {
  const { bytes } = frame;
  const value = jsonIn(isCut(frame) ? closedJson(frame.text) : frame.text);
  const blocks =
    value === undefined ? [{ title: 'Raw message', text: clearedText(frame.text) }] : blocksOf(redactedJson(value));
  return { blocks, bytes, isCut: isCut(frame) };
}

function requestBlocks(frame: unknown): Block[] {
  const { method, params } = membersOf(frame);
  if (method !== 'tools/call') return blockOf('Parameters', params);
  const { name: _tool, arguments: args, ...others } = membersOf(params);
  return [...blockOf('Arguments', args), ...blockOf('Other parameters', others)];
}

function answerBlocks(frame: unknown): Block[] {
  const { result, error } = membersOf(frame);
  if (error !== undefined) return blockOf('Error', error);
  const { content, structuredContent, ...others } = membersOf(result);
  const items: unknown[] = Array.isArray(content) ? content : [];
  return [
    ...items.flatMap(contentBlock),
    ...(Array.isArray(content) ? [] : blockOf('Content', content)),
    ...blockOf('Structured content', structuredContent),
    ...blockOf('Result', others),
  ];
}

/** One item of a tool's answer (MCP › Tools › Tool Result). Text is shown as text, the rest as JSON. */
function contentBlock(item: unknown): Block[] {
  const { type, text } = membersOf(item);
  if (type === 'text' && typeof text === 'string') return [{ title: 'Text', text: legible(text) }];
  return blockOf(typeof type === 'string' ? `Content of the type ${type}` : 'Content', item);
}

/** No block for a value that is missing or empty. */
function blockOf(title: string, value: unknown): Block[] {
  if (value === undefined || (isObject(value) && Object.keys(value).length === 0)) return [];
  return [{ title, text: JSON.stringify(value, null, 2) }];
}

/** Formats a text that is JSON itself, which some servers answer with. */
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
/** The characters of a JSON string; an incomplete escape does not match. */
const CHARACTERS = /(?:[^"\\]+|\\u[\da-f]{4}|\\[^u])*/iy;

/**
 * Repairs truncated JSON: a string that is cut stays as its beginning, any other incomplete member is left out, and open
 * brackets are closed.
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

/** Deeper levels are left out: formatted, they would be mostly indentation. */
const MAX_DEPTH = 50;

/** A JSON value without credentials: every text and every name in it passes the log's redactor. */
function redactedJson(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return clearedText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === MAX_DEPTH) return '[nested too deeply to show]';
  if (Array.isArray(value)) return value.map((item) => redactedJson(item, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      clearedText(name),
      isSecretName(name) ? REDACTED : redactedJson(inner, depth + 1),
    ]),
  );
}
