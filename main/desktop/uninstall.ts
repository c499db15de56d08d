import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { uninstallRequests } from '../../preload/contract/uninstall.ts';
import type { Removal } from '../app/uninstall/step.ts';
import type { UninstallOptions, UninstallReport } from '../app/uninstall/uninstall.ts';
import { CausewayError } from '../platform/errors.ts';
import type { DesktopContext, HandlersOf } from './context.ts';
import { problemFor } from './failure.ts';
import { desktopLauncher, openDesktopClients } from './open-clients.ts';

/** What the application cannot remove while it runs, and its login item, of which Electron knows on every system. */
const LATER = ['application', 'files'] as const;
const LOGIN_ITEM = 'The Causeway login item';

export function uninstallHandlers({ causeway, env, shell }: DesktopContext): HandlersOf<typeof uninstallRequests> {
  const run = async (how: Pick<UninstallOptions, 'dryRun' | 'evenRunning' | 'except'>) => {
    // Rarely used, so it is not loaded at startup.
    const { uninstall } = await import('../app/uninstall/uninstall.ts');
    return uninstall({ env, auth: await causeway.auth(), clients: openDesktopClients(env), ...how });
  };
  return {
    getUninstallPlan: async () => {
      const report = await run({ dryRun: true, except: ['application', 'login-item'] });
      const isOn = await shell.loginItem?.isOn();
      return asOutput(report, isOn ? [{ kind: 'login-item', what: LOGIN_ITEM, result: 'would-remove' }] : []);
    },
    uninstall: async ({ evenRunning }) => {
      const except = [...LATER, 'login-item' as const];
      const report = await run({ dryRun: false, evenRunning, except });
      const isOn = await shell.loginItem?.isOn();
      if (isOn) await shell.loginItem?.set(false);
      return asOutput(report, isOn ? [{ kind: 'login-item', what: LOGIN_ITEM, result: 'removed' }] : []);
    },
    finishUninstall: async () => {
      const { command, prefix } = desktopLauncher(env);
      // It outlives the application, because it waits for the application to end.
      const args = [...prefix, 'uninstall', '--yes', '--after', String(process.pid)];
      const child = spawn(command, args, { env, detached: true, stdio: 'ignore', windowsHide: true });
      await once(child, 'spawn').catch((cause: unknown) => {
        throw new CausewayError('not_found', `${command} cannot be started. Causeway's own files were not removed.`, {
          cause,
          remedy: 'Quit Causeway, and run `causeway uninstall --yes` in a terminal.',
        });
      });
      child.unref();
      shell.quit();
    },
  };
}

function asOutput({ removals, kept }: UninstallReport, more: Removal[]) {
  return {
    removals: [...removals, ...more].map(({ note = null, isRunning = false, error, ...removal }) => ({
      ...removal,
      note,
      isRunning,
      problem: error ? problemFor(error) : null,
    })),
    kept,
  };
}
