import { expect, it } from 'vitest';
import { launcherFor } from '../../../main/clients/launcher.ts';

it('entries are refused for a command that npx started, because its folder does not last', async () => {
  const script = '/home/ana/.npm/_npx/1f2e3d/node_modules/.bin/causeway';
  const launcher = launcherFor({ execPath: '/usr/bin/node', script }, { HOME: '/home/ana' });
  await expect(launcher.prepare()).rejects.toMatchObject({
    code: 'usage',
    remedy: expect.stringMatching(/npm install --global \.\/causeway-[\d.]+\.tgz/),
  });
});
