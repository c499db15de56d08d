import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { z } from 'zod';

const Line = z.looseObject({ step: z.string().optional(), url: z.string().optional(), ok: z.boolean().optional() });

export interface RunningDemo {
  /** What it said about the step that it stays at. */
  last: z.infer<typeof Line>;
  /** Presses Ctrl-C: gives the exit code, and what it has left behind. */
  interrupt(): Promise<{ code: number | null; left: string[] }>;
}

/** Runs `npm run demo -- --app` or `-- --browser` up to where it waits, with temporary files in their own folder. */
export async function runDemo(kind: 'app' | 'browser', lastStep: string): Promise<RunningDemo> {
  const folder = await mkdtemp(join(tmpdir(), 'causeway-demo-test-'));
  const script = join(import.meta.dirname, 'main.ts');
  const demo = spawn(process.execPath, [script, '--json', `--${kind}`, '--as-built'], {
    // No browser of the user's: the test has its own.
    env: { ...process.env, TMPDIR: folder, BROWSER: '/bin/true' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(demo, 'exit');
  const interrupt = async () => {
    demo.kill('SIGINT');
    const [code] = await ended;
    const left = await readdir(folder);
    await rm(folder, { recursive: true, force: true });
    return { code, left };
  };
  for await (const text of createInterface({ input: demo.stdout })) {
    const last = Line.parse(JSON.parse(text));
    if (last.ok === false) throw new Error(`The demo failed: ${text}`);
    if (last.step === lastStep) return { last, interrupt };
  }
  throw new Error('The demo ended before it showed anything.');
}
