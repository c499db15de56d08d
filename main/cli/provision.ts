import { access } from 'node:fs/promises';
import { resolve } from 'node:path';
import { applyProvision, type Provisioned } from '../app/provision/apply.ts';
import { exportProvision } from '../app/provision/export.ts';
import { formatProvision, parseProvision, provisionJsonSchema } from '../app/provision/provision-file.ts';
import { readBytes } from '../platform/bounded-file.ts';
import { CausewayError } from '../platform/errors.ts';
import { fileError } from '../platform/file-errors.ts';
import { writeWholeFile } from '../platform/replace-file.ts';
import { openClients } from './clients/options.ts';
import type { CommandContext } from './command.ts';
import { exitCodeOfAll, jsonFailure } from './failure.ts';

import {
  identifierText,
  printable,
  write,
  writeAnswer,
  writeDone,
  writeJson,
  writeNotice,
  writeTable,
} from './terminal.ts';

export interface ProvisionOptions {
  dryRun?: boolean;
  export?: string;
  force?: boolean;
  schema?: boolean;
  json?: boolean;
}

/** `causeway provision`: brings this computer to what a file says, or writes such a file. */
export async function provision(
  context: CommandContext,
  name: string | undefined,
  options: ProvisionOptions,
): Promise<void> {
  const asked = [name !== undefined, options.export !== undefined, options.schema === true].filter(Boolean);
  if (asked.length !== 1) {
    throw new CausewayError(
      'usage',
      asked.length === 0 ? 'No file was named.' : 'Several actions were given at once.',
      {
        remedy: 'Name a file to apply, --export FILE to write one, or --schema.',
      },
    );
  }
  if (options.schema) return writeJson(context.stdout, provisionJsonSchema());
  if (options.export !== undefined) return exportTo(context, options.export, options);
  const path = resolve(name ?? '');
  const bytes = await readBytes(path, 'given');
  if (bytes === undefined) {
    throw new CausewayError('not_found', `There is no file ${path}.`, {
      remedy: 'Write one with `causeway provision --export FILE` on a computer that is set up.',
    });
  }
  const wanted = parseProvision(path, bytes);
  const done = await applyProvision(wanted, {
    env: context.env,
    clients: openClients(context, {}),
    dryRun: options.dryRun === true,
  });
  const failures = done.filter(({ result }) => result === 'conflict' || result === 'failed');
  context.setExitCode(
    exitCodeOfAll(failures.map(({ error, message = '' }) => error ?? new CausewayError('conflict', message))),
  );
  if (options.json) {
    const changes = done.map(({ what, name: of, result, message = null, diff = null, error }) => ({
      what,
      name: of,
      result,
      message,
      diff,
      error: error ? jsonFailure(error) : null,
    }));
    return writeAnswer(context, 'provision', { dryRun: options.dryRun === true, changes });
  }
  if (done.length === 0) return writeDone(context, 'The file sets nothing up.');
  await print(context, done);
}

async function print(context: CommandContext, done: Provisioned[]): Promise<void> {
  const rows = done.map(({ what, name, result, message = '' }) => [what, name, identifierText(result), message]);
  await writeTable(context, rows, ['WHAT', 'NAME', 'RESULT', 'WHY']);
  for (const { result, diff = '' } of done) {
    if (result !== 'would-add') continue;
    for (const line of diff.trimEnd().split('\n').filter(Boolean)) await write(context.stdout, `${printable(line)}\n`);
  }
  const signIn = done.some(({ what, result }) => what === 'profile' && result === 'added');
  if (signIn) await writeDone(context, 'Sign in to the new profiles with: causeway login --profile NAME');
}

async function exportTo(context: CommandContext, name: string, { force, json }: ProvisionOptions): Promise<void> {
  const { provision: found, leftOut } = await exportProvision(context.env, openClients(context, {}));
  for (const { profile, keys } of leftOut) {
    await writeNotice(context, printable(`causeway: Left out of profile "${profile}": ${keys.join(', ')}.`));
  }
  if (name === '-') return write(context.stdout, formatProvision(json ? '.json' : '', found));
  const path = resolve(name);
  const isThere = await access(path).then(
    () => true,
    () => false,
  );
  if (isThere && !force) {
    throw new CausewayError('already_exists', `There is already a file ${path}.`, {
      remedy: 'Use another name, or --force to replace it.',
    });
  }
  try {
    await writeWholeFile(path, formatProvision(path, found), { mode: 0o644 });
  } catch (error) {
    throw fileError(path, error);
  }
  const { profiles, servers, clients } = found;
  const counts = { profiles: profiles.length, servers: servers.length, clients: clients.length };
  if (json) return writeAnswer(context, 'provision --export', { file: path, ...counts, leftOut });
  const words = `${counts.profiles} profiles, ${counts.servers} servers, entries in ${counts.clients} AI clients, no secrets`;
  await writeDone(context, printable(`Wrote ${path}: ${words}.`));
}
