import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { createCauseway } from '../../../main/app/causeway.ts';
import { type CausewayProcess, runCauseway, startCauseway } from './causeway-process.ts';
import { scriptedBrowser } from './scripted-browser.ts';
import { ownerOf, setStage } from './stage.ts';

const HOUR = 60 * 60_000;
const TOKEN = '/oidc/v1/token';
const ANA = 'ana@example.com';
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const NAMES = ['user', ...Array.from({ length: 7 }, (_, index) => `user-${index}`)];
const stage = setStage(({ host }) =>
  NAMES.slice(1)
    .map((name) => `[${name}]\nhost = ${host}\n\n`)
    .join(''),
);
const renewals = () => stage.workspace.requests.count({ path: TOKEN, grantType: 'refresh_token' });

/** Signs in so long ago that the next use begins with a renewal. */
async function signInLongAgo(names: readonly string[], agoMs = 2 * HOUR): Promise<void> {
  const auth = stage.open({ openBrowser: scriptedBrowser().open, now: () => Date.now() - agoMs });
  for (const name of names) await auth.signIn(await auth.profile(name));
}

async function owner(name = 'user', now = Date.now): Promise<string> {
  const auth = stage.open({ now });
  return ownerOf(stage, await auth.tokens(await auth.profile(name)).token());
}

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};

function begin(what: 'proxy' | 'command', profile: string): CausewayProcess {
  if (what === 'command') return startCauseway(stage.home, ['whoami', '--profile', profile]);
  const started = startCauseway(stage.home, ['proxy', '--profile', profile, '--path', '/api/2.0/mcp/sql']);
  started.child.stdin.write(`${JSON.stringify(INITIALIZE)}\n`);
  return started;
}

describe('a renewal that is under way', () => {
  it.each([
    // Half of the time that a process waits for such an answer before it ends.
    ['before its answer begins', { kind: 'delay', milliseconds: 2_500 }],
    ['after the head of its answer', { kind: 'stall', milliseconds: 2_500, afterBytes: 0 }],
    ['in the middle of its answer', { kind: 'stall', milliseconds: 2_500, afterBytes: 40 }],
  ] as const)('outlasts each signal, and the end of the input, to a proxy and to a command: %s', async (_, effect) => {
    await signInLongAgo(NAMES);
    stage.workspace.faults.add({ path: TOKEN, effect, times: 'always' });
    const ends = [
      ...SIGNALS.map((signal) => ({
        what: 'command' as const,
        end: ({ child }: CausewayProcess) => child.kill(signal),
      })),
      ...SIGNALS.map((signal) => ({ what: 'proxy' as const, end: ({ child }: CausewayProcess) => child.kill(signal) })),
      { what: 'proxy' as const, end: ({ child }: CausewayProcess) => child.stdin.end() },
      // Claude Code sends one signal soon after another.
      {
        what: 'proxy' as const,
        end: ({ child }: CausewayProcess) => {
          child.kill('SIGINT');
          setTimeout(() => child.kill('SIGTERM'), 100);
        },
      },
    ];
    const started: CausewayProcess[] = [];
    // Each is ended as soon as its own renewal is under way: together they would take longer to start than the answer.
    for (const [index, { what, end }] of ends.entries()) {
      const process = begin(what, NAMES[index] ?? '');
      started.push(process);
      await expect.poll(renewals, { timeout: 30_000 }).toBe(index + 1);
      end(process);
    }
    const codes = await Promise.all(started.map(({ ended }) => ended));
    expect(codes).toEqual([130, 130, 130, 0, 0, 0, 0, 0]);
    stage.workspace.faults.clear();
    for (const name of NAMES) expect(await owner(name)).toBe(ANA);
    expect(renewals()).toBe(ends.length);
  });

  it('outlasts the end of the application, and its answer is stored', async () => {
    await signInLongAgo(['user']);
    stage.workspace.faults.add({ path: TOKEN, effect: { kind: 'stall', milliseconds: 500, afterBytes: 0 } });
    const causeway = createCauseway({ env: stage.home.env });
    const hub = await causeway.serveProxies();
    const auth = await causeway.auth();
    const token = auth.tokens(await auth.profile('user')).token();
    await expect.poll(renewals).toBe(1);
    await Promise.all([hub.close(), causeway.close()]);
    await token;
    expect(await owner()).toBe(ANA);
    expect(renewals()).toBe(1);
  });
});

describe('a renewal whose process was killed', () => {
  async function killed(effect: Parameters<typeof stage.workspace.faults.add>[0]['effect']): Promise<void> {
    stage.workspace.faults.add({ path: TOKEN, effect });
    // What a fault answers is not read: it has no grant type.
    const asked = () => stage.workspace.requests.count({ path: TOKEN });
    const before = asked();
    const { child } = begin('command', 'user');
    await expect.poll(asked, { timeout: 30_000 }).toBe(before + 1);
    const closed = once(child, 'close');
    child.kill('SIGKILL');
    await closed;
  }

  it('is tried again if the issuer has not seen it', async () => {
    await signInLongAgo(['user']);
    // Killed while it waits to ask a busy issuer again.
    await killed({ kind: 'rate-limit', retryAfter: '10' });
    expect(await owner()).toBe(ANA);
  });

  it('is named as the reason where it has ended the sign-in, to everyone who asks, until the user signs in', async () => {
    await signInLongAgo(['user']);
    await killed({ kind: 'stall', milliseconds: 30_000, afterBytes: 0 });
    const why =
      /^Profile "user" is signed out of \S+: a renewal at \d+:\d\d was cut off before its answer could be stored\.$/;
    for (const _ of ['first', 'second']) {
      await expect(owner()).rejects.toMatchObject({ code: 'signed_out', message: expect.stringMatching(why) });
    }
    const told = await runCauseway(stage.home, ['whoami', '--profile', 'user']);
    expect(told).toMatchObject({ code: 3, stderr: expect.stringContaining('a renewal at ') });
    const auth = stage.open({ openBrowser: scriptedBrowser().open });
    await auth.signIn(await auth.profile('user'));
    expect(await owner()).toBe(ANA);
    await auth.signOut(await auth.profile('user'));
    await expect(owner()).rejects.toThrow(/is signed out of \S+\.$/);
  });

  it('is not tried again while the access token still works, which a second use would end', async () => {
    // Due for a renewal, and valid for two more minutes.
    await signInLongAgo(['user'], HOUR - 2 * 60_000);
    await killed({ kind: 'stall', milliseconds: 30_000, afterBytes: 0 });
    for (const _ of ['first', 'second']) expect(await owner()).toBe(ANA);
    expect(renewals()).toBe(1);
    await expect(owner('user', () => Date.now() + 3 * 60_000)).rejects.toMatchObject({
      code: 'signed_out',
      message: expect.stringContaining('was cut off'),
    });
    expect(renewals()).toBe(2);
  });
});
