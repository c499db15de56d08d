import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const MAIN = join(import.meta.dirname, '..', '..', '..', 'main');
const READS = /\b(?:readFile|readFileSync|createReadStream)\(/;

/** What reads a file without `bounded-file.ts`, and why none of it can be too large. */
const UNBOUNDED: Record<string, string> = {
  'desktop/window/app-protocol.ts': "the application's own pages",
  'desktop/updates/package-type.ts': "the application's own resources",
  'desktop/settings/handlers.ts': "the application's own notices",
  'desktop/electron-binary.ts': 'a file of the package electron',
  'cli/kept-chunks.ts': "the command's own program",
  'clients/running.ts': "the kernel's names of processes",
  'auth/oauth/peer-user.ts': "the kernel's table of connections",
  'auth/secrets/encrypted-file.ts': "the system's own number",
  'auth/sources/federation.ts': 'looks at the size itself, and tells more',
  'platform/entry-environment.ts': 'looks at owner and size itself, before anything else is loaded',
  'platform/lock.ts': 'its own mark of some bytes, read all the time',
  'permissions/policy/sources.ts': 'looks at owner and size of the opened file itself',
  'app/diagnosis/report.ts': 'the log, which the logger keeps small',
};

test('every module that reads a file has a limit for it, or says why it needs none', () => {
  const readers = readdirSync(MAIN, { recursive: true, encoding: 'utf8' })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => name.endsWith('.ts') && name !== 'platform/bounded-file.ts')
    .filter((name) => READS.test(readFileSync(join(MAIN, name), 'utf8').replaceAll(/^\s*(?:\/\/|\*|\/\*).*$/gm, '')));
  expect(readers.sort()).toEqual(Object.keys(UNBOUNDED).sort());
});
