import { setTimeout as sleep } from 'node:timers/promises';
import { askHub } from '../../hub/attach.ts';
import { hubFolder, readRendezvous } from '../../hub/rendezvous.ts';
import { readQuits } from '../../hub/wire-schemas.ts';
import { CausewayError } from '../../platform/errors.ts';
import { isProcessAlive } from '../../platform/process-alive.ts';
import type { Remnant } from './step.ts';

/** How long the application may take to quit, in milliseconds: longer than it lets its own closing take. */
const QUIT_TIMEOUT_MS = 15_000;
/** How often it is looked whether it has, in milliseconds. */
const LOOK_AGAIN_MS = 100;

/** The running application, which would write its files again. */
export function runningApplication(env: NodeJS.ProcessEnv): Remnant[] {
  const rendezvous = readRendezvous(hubFolder(env));
  if (!rendezvous || rendezvous.pid === process.pid || !isProcessAlive(rendezvous.pid)) return [];
  const { pid } = rendezvous;
  return [
    {
      kind: 'application',
      what: `the running application (process ${pid})`,
      note: 'It quits and no longer starts at login.',
      async remove() {
        if (!readQuits((await askHub(rendezvous, { question: 'quit' })) ?? '')) throw stillRuns(pid);
        await waitForEnd(pid);
      },
    },
  ];
}

/** Waits for the end of the application. @throws {CausewayError} `hub_running` if that does not come */
export async function waitForEnd(pid: number): Promise<void> {
  const deadline = performance.now() + QUIT_TIMEOUT_MS;
  while (isProcessAlive(pid)) {
    if (performance.now() > deadline) throw stillRuns(pid);
    await sleep(LOOK_AGAIN_MS);
  }
}

function stillRuns(pid: number): CausewayError {
  return new CausewayError(
    'hub_running',
    `Causeway is still running (process ${pid}), and would write its files again.`,
    {
      remedy: 'Nothing was removed. Quit it from the tray, then try again.',
    },
  );
}
