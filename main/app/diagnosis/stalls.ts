import { join } from 'node:path';
import { z } from 'zod';
import { stateFolder } from '../../platform/paths.ts';
import { openSettings, type SettingsFile } from '../../platform/settings.ts';
import { type Stall, watchStalls } from '../../platform/stall-watch.ts';
import { type CheckFinding, pass, warning } from './finding.ts';

const stalls = z.object({
  stalls: z.array(z.object({ at: z.number(), ms: z.number() })),
});
type Stalls = z.infer<typeof stalls>;

/** How many are remembered. */
const MAX_STALLS = 50;
/** How long one counts, in milliseconds. */
const COUNTS_MS = 24 * 60 * 60_000;
/** From this length on, people and AI clients notice, in milliseconds. */
const NOTICED_MS = 1_000;
/** How long to wait before stalls are written, in milliseconds: a busy computer has many. */
const WRITE_PAUSE_MS = 10_000;

/** What the application remembers of its stalls, for the diagnosis of both. */
function openStalls(env: NodeJS.ProcessEnv): Promise<SettingsFile<Stalls>> {
  const folder = stateFolder(env);
  return openSettings({
    folder,
    name: 'stalls',
    schema: stalls,
    empty: { stalls: [] },
    damaged: 'set-aside',
    lockFolder: join(folder, 'locks', 'stalls'),
  });
}

/** Watches the application's main thread, on which every AI client's calls depend, and remembers its stalls. Returns the function that ends it. */
export function rememberStalls(env: NodeJS.ProcessEnv, onStall: (stall: Stall) => void): () => void {
  let noted: Stall[] = [];
  let writing: NodeJS.Timeout | undefined;
  const write = async () => {
    writing = undefined;
    const fresh = noted;
    noted = [];
    const file = await openStalls(env);
    await file.change((now) => ({ stalls: [...now.stalls, ...fresh].slice(-MAX_STALLS) }));
  };
  const end = watchStalls((stall) => {
    onStall(stall);
    noted = [...noted, stall].slice(-MAX_STALLS);
    // What cannot be written is in the log.
    writing ??= setTimeout(() => void write().catch(() => undefined), WRITE_PAUSE_MS).unref();
  });
  return () => {
    end();
    clearTimeout(writing);
  };
}

/** Whether the application kept AI clients and its window waiting within the last day. */
export async function stallsFinding(env: NodeJS.ProcessEnv, now = Date.now()): Promise<CheckFinding> {
  const { initial } = await openStalls(env);
  const recent = initial.stalls.filter(({ at }) => at > now - COUNTS_MS && at <= now);
  const noticed = recent.filter(({ ms }) => ms >= NOTICED_MS);
  const longest = Math.max(0, ...recent.map(({ ms }) => ms));
  if (noticed.length === 0) {
    return pass(
      recent.length === 0
        ? 'The application has not stood still in the last day.'
        : `The application has stood still for ${seconds(longest)} at most in the last day.`,
    );
  }
  const often = noticed.length === 1 ? 'once' : `${noticed.length} times`;
  const last = new Date(Math.max(...noticed.map(({ at }) => at))).toISOString();
  return warning(
    `The application stood still ${often} in the last day, for ${seconds(longest)} at most, last at ${last}. AI clients waited meanwhile.`,
    {
      advice: 'Other programs may have kept the computer busy. If it happens again, send a support report.',
      screen: 'log',
    },
  );
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
