import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openAuth } from '../../../main/auth/open.ts';
import { accessibilityFindings, findChromium, launchChromium, NO_CHROMIUM } from '../../browser/chromium.ts';
import { initializeThroughProxy } from './causeway-process.ts';
import { noKeychain, sessionVariables } from './secret-service.ts';
import { setStage } from './stage.ts';

const store = noKeychain ? 'encrypted-file' : 'keychain';
const noBrowser = findChromium(process.env) ? undefined : NO_CHROMIUM;
/** Where pictures go: the folder that `CAUSEWAY_SCREENS` names; none are taken if it names none. */
const SCREENS = process.env.CAUSEWAY_SCREENS;

describe.skipIf(noBrowser)(`signing in in Chromium, tokens in the ${store}`, () => {
  const stage = setStage(undefined, { autoApprove: false }, { ...sessionVariables, CAUSEWAY_TOKEN_STORE: store });

  test.each(['light', 'dark'] as const)(
    'the user allows it, the page says so, and the proxy works (%s)',
    async (scheme) => {
      const chromium = await launchChromium();
      const page = await chromium.newPage({ colorScheme: scheme, viewport: { width: 880, height: 640 } });
      const trouble: string[] = [];
      page.on('console', (message) => trouble.push(message.text()));
      const auth = openAuth({ env: stage.home.env, openBrowser: async (url) => void (await page.goto(url)) });
      const profile = await auth.profile('user');
      try {
        const signingIn = auth.signIn(profile);
        await page.getByRole('radio', { name: 'ana@example.com' }).check();
        await page.getByRole('button', { name: 'Allow' }).click();
        await page.getByRole('heading', { name: 'You are signed in' }).waitFor();
        expect(await signingIn).toMatchObject({ state: 'signed-in', userName: 'ana@example.com' });
        await page.getByText('You can close this window.').waitFor();
        expect(await page.locator('header svg').isVisible()).toBe(true);
        if (SCREENS) await page.screenshot({ path: join(SCREENS, `signed-in-${scheme}.png`) });
        expect(await page.title()).toBe('You are signed in · Causeway');
        // The browser asks for a favicon on its own, and gets none.
        expect(trouble.filter((text) => !text.includes('favicon') && !text.includes('404'))).toEqual([]);
        expect(await accessibilityFindings(page)).toEqual([]);

        const { frame } = await initializeThroughProxy(stage.home, 'user');
        expect(frame).toMatchObject({ result: { serverInfo: expect.anything() } });
      } finally {
        await auth.signOut(profile).catch(() => undefined);
        await auth.close();
        await chromium.close();
      }
    },
  );

  test.each(['light', 'dark'] as const)('the user refuses, and the page says what to do (%s)', async (scheme) => {
    const chromium = await launchChromium();
    const page = await chromium.newPage({ colorScheme: scheme, viewport: { width: 480, height: 640 } });
    const auth = openAuth({ env: stage.home.env, openBrowser: async (url) => void (await page.goto(url)) });
    try {
      const refused = auth.signIn(await auth.profile('user')).catch((error: unknown) => error);
      await page.getByRole('button', { name: 'Deny' }).click();
      await page.getByRole('heading', { name: 'You are not signed in' }).waitFor();
      await page.getByText(`Access to ${stage.workspace.host} was denied.`).waitFor();
      if (SCREENS) await page.screenshot({ path: join(SCREENS, `sign-in-refused-${scheme}.png`) });
      expect(await accessibilityFindings(page)).toEqual([]);
      expect(await refused).toMatchObject({ code: 'consent_denied' });
    } finally {
      await auth.close();
      await chromium.close();
    }
  });
});
