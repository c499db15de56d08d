import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type OwnClients, ownClients, SQL } from './own-clients.ts';

const CONTINUE = '.continue/config.yaml';
const HEAD = 'name: Mine\nversion: 1.0.0\nschema: v1\n';
const ALIAS = `${HEAD}mine: &mine\n  name: databricks-sql\n  command: mine\nmcpServers:\n  - *mine\n`;

/** Continue's command is installed, and its file holds this. */
async function install(own: OwnClients, text: string): Promise<void> {
  await own.file(CONTINUE, text);
  await own.file('bin/cn', '#!/bin/sh\n', 0o755);
  own.env.PATH = join(own.home, 'bin');
}

it('an entry that is an alias in YAML is the user’s, and gets no second one of its name', async () => {
  await using own = await ownClients();
  await install(own, ALIAS);
  const [outcome] = await own.service().add(['continue-cli'], [SQL]);
  expect(outcome).toMatchObject({ error: { code: 'already_exists' } });
  expect(await own.read(CONTINUE)).toBe(ALIAS);
});

it('beside an alias under another name, an entry is added and removed again', async () => {
  await using own = await ownClients();
  const other = ALIAS.replace('databricks-sql', 'files');
  await install(own, other);
  expect(await own.service().add(['continue-cli'], [SQL])).toMatchObject([{ result: 'written' }]);
  await own.service().remove(['continue-cli'], ['databricks-sql'], { evenShared: true });
  expect(await own.read(CONTINUE)).toBe(other);
});
