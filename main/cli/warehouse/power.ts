import { setTimeout as delay } from 'node:timers/promises';
import type { WorkspaceSession } from '../../causeway.ts';
import { CausewayError } from '../../platform/errors.ts';
import type { WarehouseSummary } from '../../warehouses/effective.ts';
import type { CommandContext } from '../command.ts';
import { writeJson, writeLine } from '../print.ts';
import { openProgress } from '../progress.ts';
import { describeWarehouse } from './describe.ts';
import { type CommonOptions, findWarehouse, openSession } from './options.ts';

export interface PowerOptions extends CommonOptions {
  wait?: boolean;
}

const AIMS = {
  start: { through: 'STARTING', to: 'RUNNING' },
  stop: { through: 'STOPPING', to: 'STOPPED' },
} as const;

/** The first wait is short: a serverless warehouse is there within seconds. */
const POLL_MILLIS = { first: 250, last: 3000 };

/** `causeway warehouse start|stop [NAME]`: the effective one if none is named. With `--wait` until it is done. */
export async function power(
  context: CommandContext,
  verb: 'start' | 'stop',
  name: string,
  options: PowerOptions,
): Promise<void> {
  const session = await openSession(context, options);
  const chosen = name
    ? await findWarehouse(session, name, context.signal)
    : await effectiveOne(session, context.signal);
  await session.warehouses[verb](chosen.id, context.signal);
  const warehouse = await look(session, chosen, context, AIMS[verb], options.wait);
  if (options.json) await writeJson(context.stdout, warehouse);
  else await writeLine(context.stdout, describeWarehouse(warehouse));
}

async function effectiveOne(session: WorkspaceSession, signal: AbortSignal): Promise<WarehouseSummary> {
  const { warehouse } = await session.warehouses.effective(signal);
  if (warehouse) return warehouse;
  throw new CausewayError('usage', 'Which warehouse your queries run on cannot be told.', { remedy: 'Name one.' });
}

async function look(
  session: WorkspaceSession,
  { id, canUse }: WarehouseSummary,
  context: CommandContext,
  aim: (typeof AIMS)['start' | 'stop'],
  wait = false,
): Promise<WarehouseSummary> {
  const progress = openProgress(context, !wait);
  for (let waitMillis = POLL_MILLIS.first; ; waitMillis = Math.min(waitMillis * 1.5, POLL_MILLIS.last)) {
    const warehouse = { ...(await session.warehouses.find(id, context.signal)), canUse };
    if (warehouse.state === aim.to || (!wait && warehouse.state === aim.through)) {
      progress.end();
      return warehouse;
    }
    if (warehouse.state !== aim.through) {
      const message = `The workspace accepted it, but now there is ${describeWarehouse(warehouse)}.`;
      throw new CausewayError('conflict', message, {
        remedy: 'Someone else may be starting or stopping it: look again.',
      });
    }
    progress.say(`${describeWarehouse(warehouse)} …`);
    await delay(waitMillis, undefined, { signal: context.signal });
  }
}
