import { z } from 'zod';
import type { ToolAnswer, ToolInfo } from '../../../preload/contract.ts';
import { failedResult } from '../../hub/failed-result.ts';
import type { ServerTool, ToolResult } from '../../hub/health/mcp-session.ts';
import { withoutControls } from '../../platform/display.ts';
import { jsonIn } from '../../platform/json.ts';
import { strings } from './strings.ts';

/** A server's tools and their results, as the window shows them. */

const Annotations = z
  .object({
    title: z.string().optional().catch(undefined),
    readOnlyHint: z.boolean().optional().catch(undefined),
    destructiveHint: z.boolean().optional().catch(undefined),
    idempotentHint: z.boolean().optional().catch(undefined),
    openWorldHint: z.boolean().optional().catch(undefined),
  })
  .catch({});

/** A tool as the window shows it. */
export function toolForWindow({ name, title, description, inputSchema, annotations }: ServerTool): ToolInfo {
  const hints = Annotations.parse(annotations);
  return {
    name,
    title: title ?? hints.title ?? null,
    description: description ?? '',
    inputSchema,
    hints: {
      readOnly: hints.readOnlyHint ?? null,
      destructive: hints.destructiveHint ?? null,
      idempotent: hints.idempotentHint ?? null,
      openWorld: hints.openWorldHint ?? null,
    },
    effect: effectOf(hints),
  };
}

/** The effect by a tool's annotations: a tool that is not read-only may destroy, unless it declares otherwise. */
function effectOf({ readOnlyHint, destructiveHint }: z.output<typeof Annotations>): ToolInfo['effect'] {
  if (readOnlyHint === true) return 'reads';
  if (destructiveHint === false) return 'changes';
  return readOnlyHint === false || destructiveHint === true ? 'destroys' : 'unknown';
}

const Content = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.literal('image'), mimeType: z.string().default('image'), data: z.string() }),
  z.object({ type: z.literal('audio'), mimeType: z.string().default('audio'), data: z.string() }),
  z.object({ type: z.literal('resource_link'), uri: z.string(), name: z.string().default('') }),
  z.object({
    type: z.literal('resource'),
    resource: z.object({
      uri: z.string(),
      mimeType: z.string().default('a file'),
      text: z.string().optional(),
      blob: z.string().optional(),
    }),
  }),
]);

/** The longest text that the window receives, in characters: it cannot show more. */
const MAX_TEXT_LENGTH = 200_000;
/** The same for structured content; the window draws only its visible rows. */
const MAX_STRUCTURED_LENGTH = 8_000_000;

/** A tool's answer as the window shows it. `durationMs` is how long the call took. */
export function answerForWindow({ isError, content, structuredContent }: ToolResult, durationMs: number): ToolAnswer {
  const structured = structuredContent ?? undefined;
  const isTooLarge = asText(structured).length > MAX_STRUCTURED_LENGTH;
  const said = JSON.stringify(structured);
  // Servers send the structured content as a text too, for clients that know no other.
  const others = content.filter((part) => isTooLarge || structured === undefined || !says(part, said));
  const parts = others.map(partOf);
  return {
    isError,
    failure: failureOf(structured, content),
    durationMs,
    structured: isTooLarge ? undefined : structured,
    parts: isTooLarge && parts.length === 0 ? [textPart(asText(structured))] : parts,
  };
}

/** Whether a part of an answer is a text that holds this JSON and nothing else. */
function says(part: unknown, json: string | undefined): boolean {
  const { data } = TextContent.safeParse(part);
  return data !== undefined && JSON.stringify(/^\s*[[{]/.test(data.text) ? jsonIn(data.text) : undefined) === json;
}

const TextContent = z.object({ type: z.literal('text'), text: z.string() });

/** The failed statement or question in an answer, in words. */
function failureOf(structured: unknown, content: readonly unknown[]): ToolAnswer['failure'] {
  const failed = failedResult(structured, content);
  if (!failed) return null;
  const { state, reason } = failed;
  return { state, message: withoutControls(reason ?? strings.ended(state.toLowerCase()), true) };
}

type Part = ToolAnswer['parts'][number];

function partOf(content: unknown): Part {
  const parsed = Content.safeParse(content);
  if (!parsed.success) return textPart(asText(content));
  const { data } = parsed;
  switch (data.type) {
    case 'text':
      return textPart(data.text);
    case 'image':
    case 'audio':
      return { type: 'data', mimeType: data.mimeType, bytes: bytesIn(data.data) };
    case 'resource_link':
      return { type: 'link', title: data.name || data.uri, uri: data.uri };
    case 'resource': {
      const { text, blob, mimeType } = data.resource;
      return text === undefined ? { type: 'data', mimeType, bytes: bytesIn(blob ?? '') } : textPart(text);
    }
  }
}

function textPart(text: string): Part {
  return { type: 'text', text: text.slice(0, MAX_TEXT_LENGTH), cut: Math.max(0, text.length - MAX_TEXT_LENGTH) };
}

function asText(value: unknown): string {
  return JSON.stringify(value, null, 2) ?? '';
}

function bytesIn(base64: string): number {
  return Buffer.byteLength(base64, 'base64');
}
