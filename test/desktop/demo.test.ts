import { describe, expect, it } from 'vitest';
import { runDemo } from '../demo/running-demo.ts';
import { whyNotHere } from './application.ts';
import { isDrawn } from './screen.ts';
import { TrayOverDbus } from './tray-over-dbus.ts';

describe.skipIf(whyNotHere(process.env))('npm run demo -- --app', () => {
  it('opens the application, signed in, and leaves nothing behind', async () => {
    const demo = await runDemo('app', 'Opening the application');
    await expect.poll(TrayOverDbus.find, { timeout: 20_000 }).toBeDefined();
    const tray = await TrayOverDbus.find();
    await expect.poll(() => tray.labels()).toContain('demo · ana@example.com');
    await expect.poll(() => isDrawn('Causeway'), { timeout: 20_000 }).toBe(true);
    expect(await demo.interrupt()).toEqual({ code: 0, left: [] });
  });
});
