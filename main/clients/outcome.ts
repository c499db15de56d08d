import { createTwoFilesPatch } from 'diff';
import { CausewayError, inOneLine } from '../platform/errors.ts';
import { type Changed, changes, type Planned } from './change.ts';
import type { ClientFacts } from './client.ts';
import type { LocatedFile } from './detect.ts';
import type { ManagedServer } from './servers.ts';

/** What came of one file. */
export interface Outcome {
  client: string;
  name: string;
  file: string | null;
  result: 'written' | 'unchanged' | 'would change' | 'failed';
  /** The difference, as a unified diff. */
  diff?: string;
  backup?: string;
  /** What to do for it to be noticed. */
  afterwards?: string;
  warnings: string[];
  error?: { code: string; message: string };
}

/** What came of a file that was, or would be, changed. */
export function outcomeOf(
  client: ClientFacts,
  file: LocatedFile,
  planned: Planned | Changed,
  dryRun: boolean,
): Outcome {
  const { id, name, afterwards } = client;
  const changed = changes(planned);
  const adds = Object.keys(planned.record.entries).length > 0;
  const warnings = changed && adds ? [...planned.warnings, ...(client.warnings ?? [])] : planned.warnings;
  const base = { client: id, name, file: file.path, warnings };
  if (!changed) return { ...base, result: 'unchanged' };
  const diff = createTwoFilesPatch(file.path, file.path, planned.before?.toString('utf8') ?? '', planned.after);
  const backup = 'backup' in planned && planned.backup ? { backup: planned.backup.id } : {};
  return {
    ...base,
    result: dryRun ? 'would change' : 'written',
    diff: diff.slice(diff.indexOf('--- ')),
    ...backup,
    afterwards,
  };
}

/** What came of a file, or a client, at which an error stopped. */
export function failed({ id, name }: ClientFacts, file: LocatedFile | null, error: unknown): Outcome {
  const code = error instanceof CausewayError ? error.code : 'internal';
  const problem = { code, message: inOneLine(error) };
  return { client: id, name, file: file?.path ?? null, result: 'failed', warnings: [], error: problem };
}

/** For a client that was asked for and is not there. */
export function notInstalled({ name }: ClientFacts): CausewayError {
  return new CausewayError('not_found', `${name} was not found on this computer.`, {
    remedy: 'Nothing was written: a folder that it did not make could be in its way.',
  });
}

/** For a name that an entry of somebody else has. */
export function taken({ name }: ClientFacts, file: LocatedFile, server: ManagedServer): CausewayError {
  return new CausewayError(
    'already_exists',
    `${file.path} has an entry "${server.name}" that Causeway did not write.`,
    {
      remedy: `Rename it in ${name}, or name the server otherwise; --force changes it.`,
    },
  );
}
