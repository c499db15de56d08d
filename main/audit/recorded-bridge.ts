import { recordSession, type SessionRecorder } from '../activity/call-recorder.ts';
import type { FrameSink } from '../bridge/back-pressure.ts';
import type { AttemptObserver, ServerRequest } from '../bridge/endpoint.ts';
import type { Bridge } from '../bridge/layers.ts';
import { behind, towardClient } from '../bridge/layers.ts';
import { recording } from '../hub/recorder.ts';
import { SessionLog } from '../hub/session-log.ts';
import { within } from '../platform/within.ts';
import type { EventAudit } from './event-audit.ts';

/** How long the end of a session waits for a collector, in milliseconds. */
const LAST_WORDS_MS = 2_000;

type BuildBridge = (sink: FrameSink, attempts: AttemptObserver) => Bridge;

/**
 * A session in this process, whose calls are kept, and are audited if `isAudited`. `build` makes its bridge.
 * @param events what else this process audits: written and sent when the session ends
 */
export async function recordedBridge(
  env: NodeJS.ProcessEnv,
  isAudited: boolean,
  events: EventAudit,
): Promise<(request: ServerRequest, sink: FrameSink, build: BuildBridge) => Bridge> {
  const complain = (words: string) => void process.stderr.write(`causeway proxy: ${words}\n`);
  const kept = recordSession(env, complain);
  const audit = isAudited ? new (await import('./audit.ts')).Audit(env, complain, 'proxy') : undefined;
  const records = audit ? [kept, audit] : [kept];
  return (request, sink, build) => recordedIn(records, request, sink, build, events);
}

type CallRecords = readonly SessionRecorder[];

function recordedIn(
  records: CallRecords,
  { profile, path }: ServerRequest,
  sink: FrameSink,
  build: BuildBridge,
  events: EventAudit,
): Bridge {
  const log = new SessionLog({
    onCall: (call) => {
      for (const each of records) each.add(call);
    },
  });
  const record = log.begin({ pid: process.pid, profile, path });
  log.add(record);
  const layers = [recording(record)];
  const bridge = build(towardClient(sink, layers), record);
  let ended: Promise<void> | undefined;
  const end = () => {
    ended ??= (async () => {
      log.remove(record);
      await within(LAST_WORDS_MS, Promise.all([events.flush(), ...records.map((each) => each.close())]), undefined);
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
