import { readFile } from 'node:fs/promises';
import { CausewayError } from '../../platform/errors.ts';
import { utf8Text } from '../../platform/utf8.ts';
import type { OverrideFields } from '../../workspace/overrides.ts';

/** What a request body says, and which of its fields mean nothing here. */
export interface RequestBody {
  fields: Partial<OverrideFields>;
  unknown: string[];
}

/** The record's fields; those that the workspace alone sets are read over. */
const WRITABLE = ['type', 'warehouse_id'] as const;
const OUTPUT_ONLY = new Set(['name', 'default_warehouse_override_id']);

/**
 * The body that `--json BODY` or `--json @FILE` gives.
 * @throws {CausewayError} `usage` for what is no JSON object of texts
 */
export async function readBody(argument: string): Promise<RequestBody> {
  const text = argument.startsWith('@') ? await fileText(argument.slice(1)) : argument;
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new CausewayError('usage', `error decoding JSON at ${sourceOf(argument)}: ${message}`, { cause });
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    const received = Array.isArray(body) ? 'sequence' : body === null ? 'nil' : typeof body;
    throw new CausewayError('usage', `Invalid command input: expected JSON object, received ${received}`);
  }
  const entries = new Map<string, unknown>(Object.entries(body));
  const fields: RequestBody['fields'] = {};
  for (const name of WRITABLE) {
    const value = entries.get(name);
    if (value === undefined || value === null) continue;
    if (typeof value === 'object') throw new CausewayError('usage', `expected string at ${name}, found an object`);
    fields[name] = String(value);
  }
  const isKnown = (name: string) => WRITABLE.some((each) => each === name) || OUTPUT_ONLY.has(name);
  return { fields, unknown: [...entries.keys()].filter((name) => !isKnown(name)) };
}

function sourceOf(argument: string): string {
  return argument.startsWith('@') ? argument.slice(1) : '(inline)';
}

async function fileText(path: string): Promise<string> {
  try {
    return utf8Text(path, await readFile(path));
  } catch (cause) {
    if (cause instanceof CausewayError) throw cause;
    const reason = cause instanceof Error && 'code' in cause ? String(cause.code) : 'not readable';
    const words = reason === 'ENOENT' ? 'no such file or directory' : reason;
    throw new CausewayError('usage', `read ${path}: open ${path}: ${words}`, { cause });
  }
}
