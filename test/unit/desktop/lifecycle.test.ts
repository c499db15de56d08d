import { describe, expect, it, vi } from 'vitest';
import { argumentsAfterCrash, crashesIn, withCrash } from '../../../main/desktop/crash.ts';
import { closingOnce } from '../../../main/desktop/lifecycle.ts';
import { linkIn, screenOfLink } from '../../../main/desktop/window/navigation.ts';
import { systemChange } from '../../../main/platform/system-watch.ts';

const MINUTE = 60_000;

describe('after a crash', () => {
  it('the application restarts in its previous state, and knows that it crashed', () => {
    const args = argumentsAfterCrash(['/srv/app', '--no-sandbox'], 1000, true);
    expect(args).toEqual(['/srv/app', '--no-sandbox', '--crashed-at=1000']);
    expect(crashesIn(args ?? [])).toEqual([1000]);
  });

  it('its window stays closed if it was closed, and a link is not followed again', () => {
    expect(argumentsAfterCrash(['.', '--hidden', 'causeway://open/servers'], 5, false)).toEqual([
      '.',
      '--hidden',
      '--crashed-at=5',
    ]);
    expect(argumentsAfterCrash(['.', '--hidden'], 5, true)).toEqual(['.', '--crashed-at=5']);
  });

  it('it does not restart a fourth time within five minutes', () => {
    let args: string[] | undefined = ['.'];
    const starts = [];
    for (let now = 0; args !== undefined && now < 100 * MINUTE; now += MINUTE) {
      args = argumentsAfterCrash(args, now, true);
      if (args) starts.push(now);
    }
    expect(starts).toEqual([0, MINUTE, 2 * MINUTE]);
  });

  it('an application that crashes occasionally restarts each time', () => {
    let args = ['.'];
    for (let now = 0; now < 100 * MINUTE; now += 10 * MINUTE) {
      const next = argumentsAfterCrash(args, now, true);
      expect(next).toEqual(['.', `--crashed-at=${now}`]);
      args = next ?? [];
    }
  });

  it('a clock that was set back does not prevent a restart', () => {
    expect(withCrash([100 * MINUTE, 101 * MINUTE, 102 * MINUTE], MINUTE)).toEqual([MINUTE]);
  });

  it('an invalid argument is ignored', () => {
    expect(crashesIn(['--crashed-at=x,-1,1e9,,12'])).toEqual([12]);
    expect(crashesIn([])).toEqual([]);
  });
});

describe('a link', () => {
  it.each([
    ['causeway://open/servers', 'servers'],
    ['causeway://open/warehouse/', 'warehouse'],
    ['causeway://open/diagnostics', 'diagnostics'],
    ['causeway://open/nowhere', undefined],
    ['causeway://open/servers?then=quit', undefined],
    ['causeway://open/servers#x', undefined],
    ['causeway://open/servers/remove/sql', undefined],
    ['causeway://open/../servers', undefined],
    ['causeway://open/SERVERS', undefined],
    ['causeway://quit', undefined],
    ['causeway://user@open/servers', undefined],
    ['causeway:open/servers', undefined],
    ['https://open/servers', undefined],
    [' causeway://open/servers', undefined],
    ['causeway://open/servers\n', undefined],
    [`causeway://open/${'a'.repeat(100_000)}`, undefined],
    ['causeway://open/toString', undefined],
  ])('%s leads to %s', (link, screen) => {
    expect(screenOfLink(link)).toBe(screen);
  });

  it('is found among the command-line arguments', () => {
    expect(linkIn(['causeway', '--allow-file-access', 'causeway://open/clients'])).toBe('causeway://open/clients');
    expect(linkIn(['causeway', '--profile=causeway://x'])).toBeUndefined();
  });
});

describe('the environment of the application has changed', () => {
  const before = { wallMs: 1_000_000, steadyMs: 500, addresses: '10.0.0.2' };
  const later = (change: Partial<typeof before>) => ({
    wallMs: 1_030_000,
    steadyMs: 30_500,
    addresses: '10.0.0.2',
    ...change,
  });

  it.each([
    ['nothing', later({}), null],
    ['the network is a different one', later({ addresses: '192.168.1.7' }), 'network'],
    ['there is no network', later({ addresses: '' }), 'network'],
    ['the clock was set forward', later({ wallMs: 4_630_000 }), 'clock'],
    ['the clock was set back', later({ wallMs: 0 }), 'clock'],
    ['the computer slept, and the monotonic clock with it', later({ wallMs: 9_000_000 }), 'clock'],
    ['the clock was adjusted slightly', later({ wallMs: 1_031_000 }), null],
    ['the process was paused', later({ wallMs: 1_300_000, steadyMs: 300_500 }), null],
  ])('%s', (_name, now, change) => {
    expect(systemChange(before, now)).toBe(change);
  });
});

describe('shutdown', () => {
  it('ends one part after another, and only once', async () => {
    const order: string[] = [];
    const closer = (name: string) => async () => {
      order.push(`${name} begins`);
      await Promise.resolve();
      order.push(`${name} ends`);
    };
    const close = closingOnce([closer('calls'), closer('connections')], 10_000);
    await Promise.all([close(), close()]);
    await close();
    expect(order).toEqual(['calls begins', 'calls ends', 'connections begins', 'connections ends']);
  });

  it('continues if one part fails', async () => {
    const report = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const last = vi.fn();
    await closingOnce([() => Promise.reject(new Error('stuck')), last], 10_000)();
    expect(last).toHaveBeenCalledOnce();
    expect(report).toHaveBeenCalledOnce();
    report.mockRestore();
  });

  it('does not wait forever', async () => {
    vi.useFakeTimers();
    const done = vi.fn();
    const closing = closingOnce([() => new Promise(() => {})], 10_000)().then(done);
    await vi.advanceTimersByTimeAsync(9_999);
    expect(done).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    await closing;
    expect(done).toHaveBeenCalledOnce();
    vi.useRealTimers();
  });
});
