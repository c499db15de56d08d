import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { ownHome } from './own-home.ts';

const CAUSEWAY = fileURLToPath(new URL('../../../out/cli/causeway.js', import.meta.url));
const NEEDED = ['dbus-run-session', 'gnome-keyring-daemon', 'gdbus'];
const folders = (process.env.PATH ?? '').split(delimiter);
const missing = [
  ...NEEDED.filter((program) => !folders.some((folder) => existsSync(join(folder, program)))),
  ...(process.env.DISPLAY ? [] : ['display']),
];
const without = missing.length > 0 ? ` (skipped: no ${missing.join(', ')})` : '';

const INITIALIZE = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
});

/** Its own session, in which a sign-in is stored and the keychain then locked; nobody can answer its question. */
const LOCKED = `
echo -n password | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1
"$NODE" -e 'const { AsyncEntry } = require("keytar"); new AsyncEntry("Causeway", "http://127.0.0.1:9 user").setPassword("{}")'
gdbus call --session --dest org.freedesktop.secrets --object-path /org/freedesktop/secrets \\
  --method org.freedesktop.Secret.Service.Lock "['/org/freedesktop/secrets/collection/login']" >/dev/null
`;

/** What a script in such a session prints. */
async function inLockedSession(script: string): Promise<string[]> {
  const home = await ownHome('[user]\nhost = http://127.0.0.1:9\n', { CAUSEWAY_TOKEN_STORE: 'keychain' });
  const env = {
    ...home.env,
    PATH: process.env.PATH,
    DISPLAY: process.env.DISPLAY,
    XAUTHORITY: process.env.XAUTHORITY,
    XDG_DATA_HOME: home.folder,
    XDG_RUNTIME_DIR: home.folder,
    NODE: process.execPath,
    CAUSEWAY,
    INITIALIZE,
  };
  try {
    const { stdout } = await promisify(execFile)('dbus-run-session', ['--', 'bash', '-c', LOCKED + script], {
      env,
      timeout: 28_000,
    });
    return stdout.trim().split('\n');
  } finally {
    await home.remove();
  }
}

describe.skipIf(missing.length > 0)(`while the keychain waits for its password${without}`, () => {
  test('a proxy ends when its client does, with its own exit code', async () => {
    const printed = await inLockedSession(
      'set -o pipefail; echo "$INITIALIZE" | "$NODE" "$CAUSEWAY" proxy --profile user --path /api/2.0/mcp/sql; echo "ended with $?"',
    );
    expect(printed.at(-1)).toBe('ended with 0');
  });

  test('a command says so, and can be interrupted', async () => {
    const printed = await inLockedSession(`
mkfifo "$HOME/said"
"$NODE" "$CAUSEWAY" whoami --profile user 2>"$HOME/said" & whoami=$!
while read -r line; do echo "$line"; case "$line" in *Waiting*) kill -INT $whoami;; esac; done <"$HOME/said"
wait $whoami; echo "ended with $?"
`);
    expect(printed).toContain(
      'causeway: Waiting for you to unlock the keychain. Your system asks for its password in a window of its own.',
    );
    expect(printed.at(-1)).toBe('ended with 130');
  });
});
