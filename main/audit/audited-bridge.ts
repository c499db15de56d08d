import type { FrameSink } from '../bridge/back-pressure.ts';
import type { ServerRequest } from '../bridge/endpoint.ts';
import type { Bridge } from '../bridge/layers.ts';
import { behind, towardClient } from '../bridge/layers.ts';
import { recording } from '../hub/recorder.ts';
import { SessionLog } from '../hub/session-log.ts';
import { within } from '../platform/within.ts';
import { Audit } from './audit.ts';

/** How long the end of a session waits for a collector, in milliseconds. */
const LAST_WORDS_MS = 2_000;

/** A session in this process, whose calls are audited. `build` makes its bridge. */
export function auditedBridge(
  env: NodeJS.ProcessEnv,
  { profile, path }: ServerRequest,
  sink: FrameSink,
  build: (sink: FrameSink) => Bridge,
): Bridge {
  const audit = new Audit(env, (words) => void process.stderr.write(`causeway proxy: ${words}\n`));
  const log = new SessionLog({ onCall: (call) => audit.add(call) });
  const record = log.begin({ pid: process.pid, profile, path });
  log.add(record);
  const layers = [recording(record)];
  const bridge = build(towardClient(sink, layers));
  let ended: Promise<void> | undefined;
  const end = () => {
    ended ??= (async () => {
      log.remove(record);
      await within(LAST_WORDS_MS, audit.close(), undefined);
    })();
    return ended;
  };
  return Object.assign(behind(bridge, layers), {
    finish: async (graceMs: number) => {
      await bridge.finish(graceMs);
      await end();
    },
    close: async () => {
      await bridge.close();
      await end();
    },
  });
}
