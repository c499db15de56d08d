import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const MAIN = join(import.meta.dirname, '..', '..', '..', 'main');
/** Names that write to a file: Node's own, SQLite's, and those of `replace-file.ts`, `growing-file.ts` and `settings.ts`. */
const WRITES =
  /\b(?:writeFile|writeFileSync|appendFile|appendFileSync|createWriteStream|copyFile|writeWholeFile|writeWholeFileSync|writePieces|replaceFile|startGrowingFile|continueGrowingFile|openSettings)\b(?:<\w+>)?\(|INSERT INTO/;
const CLEARS =
  /\b(?:writeOutside|writeOutsidePieces|replaceOutside|appendOutside|clearedText)\b\(|\bisFromOutside: true/;

/** What writes without the filter, and why nothing of what it writes comes from outside, or has to be kept as it is. */
const UNFILTERED: Record<string, string> = {
  'platform/replace-file.ts': 'the primitives themselves',
  'platform/growing-file.ts': 'a primitive',
  'platform/removal.ts': 'a mark without content',
  'platform/lock.ts': 'process ids',
  'platform/autostart.ts': 'the path of the executable',
  'auth/oauth/oauth-applications.ts': 'client ids that the user has typed',
  'auth/oauth/sign-in-pages.ts': "Causeway's own page, which leads to the sign-in",
  'auth/oauth/shared-sign-in.ts': "Causeway's own messages between its processes",
  'auth/profiles/config-file.ts': "the user's profiles, which hold their own tokens",
  'auth/renewal-journal.ts': 'a mark of a renewal that has begun',
  'auth/sign-in-generation.ts': 'a hash of who is signed in',
  'auth/unkept-renewal.ts': 'a mark without content',
  'auth/secrets/encrypted-file.ts': 'ciphertext',
  'hub/publish.ts': "the hub's own address and key",
  'permissions/permissions-file.ts': "the user's permissions",
  'clients/entry-environment.ts': "the user's own environment, without secrets",
  'clients/file-lock.ts': 'a process id',
  'clients/own-folder.ts': 'a note of our own',
  'clients/backups.ts': "the AI clients' own files, which have to come back byte for byte",
  'clients/files.ts': "the AI clients' own files, of which all but our entry stays as it is",
  'clients/record.ts': 'what entries Causeway has written',
  'clients/servers.ts': "the user's list of servers",
  'cli/provision.ts': 'what the user has set up, for others',
  'cli/warehouse/export.ts': 'a file that is read again, where each user must keep their exact name',
  'cli/warehouse/results-file.ts': "the results for lines of the user's file, which they compare with it",
  'warehouses/bulk/journal-file.ts': 'the states to restore, of which each user must keep their exact name',
  'app/settings.ts': "the user's settings",
  'app/diagnosis/stalls.ts': 'times and durations',
  'desktop/overrides/handlers.ts': 'a file that is read again, where each user must keep their exact name',
  'desktop/servers/handlers.ts': "a query's result, which the user saves as it is",
  'desktop/settings/settings-store.ts': "the user's settings",
  'app/uninstall/completion.ts': "the shell's own files, without our lines",
};

const files = readdirSync(MAIN, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => ({ name: name.replaceAll('\\', '/'), text: readFileSync(join(MAIN, name), 'utf8') }));
const writers = files.filter(({ text }) => WRITES.test(text.replaceAll(/^\s*(?:\/\/|\*|\/\*).*$/gm, '')));

describe('every module that writes to a file', () => {
  it('clears what comes from outside, or says why it need not', () => {
    const unexplained = writers
      .filter(({ name, text }) => !(name in UNFILTERED) && !CLEARS.test(text) && name !== 'platform/outside-file.ts')
      .map(({ name }) => name);
    expect(unexplained).toEqual([]);
  });

  it('is named here only if it still writes', () => {
    const names = writers.map(({ name }) => name);
    expect(Object.keys(UNFILTERED).filter((name) => !names.includes(name))).toEqual([]);
  });
});

describe('what comes from outside', () => {
  it.each([
    'bridge/answer-store.ts',
    'audit/audit-file.ts',
    'platform/name-memory.ts',
    'cli/diagnose.ts',
    'desktop/diagnostics.ts',
    'desktop/activity/handlers.ts',
    'desktop/log.ts',
    'desktop/warehouse/override-history.ts',
  ])('is cleared in %s, which has no other way to write', (name) => {
    const text = files.find((file) => file.name === name)?.text ?? '';
    expect(text).toMatch(CLEARS);
    const own = text.replaceAll("appendFileSync(path, '',", '').replaceAll(/openSettings<\w+>\(/g, '');
    expect(own).not.toMatch(WRITES);
  });
});
