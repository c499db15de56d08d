import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { chromiumSwitches } from '../../../main/desktop/chromium.ts';
import { collectGarbage, releaseMemoryLater } from '../../../main/desktop/window/release-memory.ts';

describe('the processes of the application', () => {
  const NETWORK = { name: 'enable-features', value: 'NetworkServiceInProcess2' };

  it.each(['darwin', 'win32'] as const)('are one fewer on %s, where the GPU is used', (platform) => {
    expect(chromiumSwitches(platform)).toEqual([NETWORK]);
  });

  it('do without the GPU on Linux', () => {
    const names = chromiumSwitches('linux').map(({ name }) => name);
    expect(names).toEqual(['enable-features', 'disable-gpu', 'disable-software-rasterizer']);
  });
});

describe('memory after the window has closed', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('is collected if nothing refers to it', async () => {
    vi.useRealTimers();
    const held = { large: new WeakRef({ text: 'x'.repeat(1000) }) };
    await nextTurn();
    collectGarbage();
    expect(held.large.deref()).toBeUndefined();
  });

  it('is collected a moment later, and not if the window is open again', () => {
    const asked = vi.fn(() => false);
    releaseMemoryLater(asked);
    vi.advanceTimersByTime(1_000);
    expect(asked).not.toHaveBeenCalled();
    vi.advanceTimersByTime(2_000);
    expect(asked).toHaveBeenCalledOnce();
  });
});
