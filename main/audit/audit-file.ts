import { rename, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { withLock } from '../platform/lock.ts';
import { appendOutside } from '../platform/outside-file.ts';
import { logFolder, stateFolder } from '../platform/paths.ts';
import { makeFolder } from '../platform/replace-file.ts';
import type { AuditRecord } from './audited-event.ts';

/** How large a file may become, and how many of the older ones are kept. */
const ROTATION = { maxBytes: 10 * 1024 * 1024, kept: 4 };

/** Where the audit is: a line of JSON for each call or other event, the oldest first. */
export function auditFile(env: NodeJS.ProcessEnv): string {
  return join(logFolder(env), 'audit.jsonl');
}

/** Appends records to the file, which several processes may do at once. @throws what the system says about the file */
export async function appendToAudit(
  env: NodeJS.ProcessEnv,
  records: readonly AuditRecord[],
  rotation = ROTATION,
): Promise<void> {
  const text = records.map((record) => `${JSON.stringify(record, withoutTrace)}\n`).join('');
  await appendRotated(env, { path: auditFile(env), lock: 'audit-file', text }, rotation);
}

/** A client's trace looks like a token, and may be one: it goes to the collector of traces alone. */
function withoutTrace(name: string, value: unknown): unknown {
  return name === 'traceparent' ? undefined : value;
}

/** What is appended, where, and the name of the lock under which a full file makes room. */
interface Appended {
  path: string;
  lock: string;
  text: string;
}

/** Appends lines to a private file, which several processes may do at once. A full one makes room first. */
async function appendRotated(
  env: NodeJS.ProcessEnv,
  { path, lock, text }: Appended,
  rotation: typeof ROTATION,
): Promise<void> {
  await makeFolder(dirname(path), 0o700);
  await rotate(env, path, lock, rotation);
  // One write: lines of two processes do not get between each other.
  await appendOutside(path, text, { mode: 0o600 });
}

async function rotate(
  env: NodeJS.ProcessEnv,
  path: string,
  lock: string,
  { maxBytes, kept }: typeof ROTATION,
): Promise<void> {
  const isFull = async () => ((await stat(path).catch(() => undefined))?.size ?? 0) >= maxBytes;
  if (!(await isFull())) return;
  await withLock(join(stateFolder(env), 'locks', lock), async () => {
    // Another process may have been quicker.
    if (!(await isFull())) return;
    for (let number = kept; number > 0; number -= 1) {
      const from = number === 1 ? path : numbered(path, number - 1);
      await rename(from, numbered(path, number)).catch(() => undefined);
    }
  });
}

function numbered(path: string, number: number): string {
  return path.replace(/\.jsonl$/, `.${number}.jsonl`);
}
