import { expect, test } from 'vitest';
import { loadedPackages } from '../platform/loaded-packages.ts';
import { ownHome } from './own-home.ts';

test('a personal access token is read without loading a single package', async () => {
  const home = await ownHome('[DEFAULT]\nhost = https://a.example\ntoken = dapi\n');
  const { packages } = await loadedPackages(
    'main/auth/open.ts',
    'const auth = module.openAuth({ env: process.env }); await auth.tokens(await auth.profile()).token();',
    home.env,
  );
  await home.remove();
  expect(packages).toEqual([]);
});
