import { z } from 'zod';
import { clientFile, clientOutcome } from '../../../preload/contract/clients.ts';
import { failure } from './failure.ts';
import { named } from './named.ts';

const file = named(
  'clientFile',
  'A file of an AI client.',
  clientFile.omit({ known: true, pins: true }).extend({ meta: z.record(z.string(), z.record(z.string(), z.string())) }),
  {
    path: 'Its path.',
    exists: 'Whether it is there.',
    entries:
      "The state of each server's entry, by the server's name. `vanished` and `edited`: by another program. `broken`: starts a program that is missing. `foreign`: another program's.",
    all: 'The names of entries for all servers as one.',
    servedByAll: 'The servers that one of these leads to.',
    leftOver: 'Entries for servers that are no longer in the list.',
    repairable: 'The servers whose entry `causeway clients repair` would change.',
    sharedWith: 'Other clients that read the same entries.',
    project: 'The folder of the project whose file it is; null for the user’s own.',
    problem: 'Why it can be neither read nor written, as sentences.',
    meta: "What calls carry in `_meta` beside what the server's own do, by the server's name.",
  },
);

/** An AI client, with its files. */
export const client = named(
  'client',
  'An AI client, and the state of its entries.',
  z.object({
    id: z.string(),
    name: z.string(),
    foundBy: z.string().nullable(),
    patienceMs: z.number().nullable(),
    files: z.array(file),
    managed: z.array(z.string()),
    problem: z.string().nullable(),
  }),
  {
    id: 'What commands call it.',
    name: 'What people call it.',
    foundBy: 'By what one can tell that it is installed; null if it is not.',
    patienceMs: 'For how long it waits for the answer to one call; null if no limit is known.',
    files: 'Its files.',
    managed: 'What its administrator has decided against entries, as sentences.',
    problem: 'Why its files cannot be found, as sentences.',
  },
);

/** What became of one client's file. */
export const entryChange = named(
  'entryChange',
  "What became of one AI client's file.",
  clientOutcome.omit({ problem: true }).extend({ backup: z.string().nullable(), error: failure.nullable() }),
  {
    client: 'The id of the client.',
    name: 'What people call it.',
    file: 'The path of its file; null if it has none.',
    result: 'The result.',
    diff: 'The difference, as a unified diff.',
    afterwards: 'What to do for the client to notice it, as a sentence.',
    warnings: 'What else there is to know, as sentences.',
    sharedWith: 'Other clients that read the same entries and lose them too.',
    backup: 'What `causeway clients restore` takes to undo it.',
    error: 'Why the file was not changed.',
  },
);

export const clientList = z.object({ clients: z.array(client) });

const clientTest = named(
  'clientTest',
  'What an AI client will see of one server.',
  z.object({
    client: z.string(),
    name: z.string(),
    file: z.string(),
    server: z.string(),
    tools: z.array(z.string()),
    tookMs: z.number().nullable(),
    limitMs: z.number().nullable(),
    error: failure.nullable(),
  }),
  {
    client: 'The id of the client.',
    name: 'What people call it.',
    file: 'The path of the file with the entry.',
    server: "The entry's name.",
    tools: 'The names of the tools that it will see; empty if there is an error.',
    tookMs: 'How long it waited for them; null if there were none to wait for.',
    limitMs: 'How long it waits at most; null if it was not started.',
    error: 'Why it will not see the tools, or cannot use them.',
  },
);

export const clientTests = z.object({ tests: z.array(clientTest) });

export const entryChanges = z.object({ dryRun: z.boolean(), changes: z.array(entryChange) });

export const entriesToPaste = z.object({
  client: z.string().nullable(),
  entries: z.record(z.string(), z.unknown()),
  links: z.record(z.string(), z.string()),
});

export const backups = z.object({
  backups: z.array(
    z.object({ id: z.string(), client: z.string(), file: z.string(), at: z.string(), missing: z.boolean() }),
  ),
});

export const restored = z.object({
  dryRun: z.boolean(),
  file: z.string(),
  result: z.enum(['restored', 'unchanged', 'would-restore']),
  diff: z.string().nullable(),
  kept: z.string().nullable(),
});
