import { REDACTED, redact } from '../../../platform/redact.ts';

/** What is nested deeper than this is left out: set out for reading, it would be mostly indentation. */
const DEEPEST = 50;

/** A JSON value without what could sign anybody in: every text and every name in it passes the log's redactor. */
export function redactedJson(value: unknown, depth = 0): unknown {
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
