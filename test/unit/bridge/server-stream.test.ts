import { describe, expect, it } from 'vitest';
import { resume, type Streamed, waitBefore } from '../../../main/bridge/server-stream.ts';

describe('the delay before an event stream is reopened', () => {
  it.each<[name: string, retryMs: number | undefined, failures: number, least: number, most: number]>([
    ['one second if the server asked for none', undefined, 0, 500, 1_000],
    ['what the server asked for, and never less', 5_000, 0, 5_000, 6_250],
    ['at least a quarter of a second, whatever the server asked for', 0, 0, 250, 312.5],
    ['at most one minute, whatever the server asked for', 1e15, 0, 60_000, 75_000],
    ['longer after each failure', undefined, 4, 4_000, 8_000],
    ['at most half a minute', undefined, 100, 15_000, 30_000],
    ['longer in an outage than the server asked for before it', 10, 3, 2_000, 4_000],
    ['what the server asked for even in an outage, if that is longer', 60_000, 3, 60_000, 75_000],
  ])('is %s', (_name, retryMs, failures, least, most) => {
    expect(waitBefore(retryMs, failures, () => 0)).toBe(least);
    expect(waitBefore(retryMs, failures, () => 1)).toBe(most);
  });
});

describe('the delay before an interrupted response stream is resumed', () => {
  const cut = (lastEventId: string, retryMs: number | undefined): Streamed => ({
    kind: 'streamed',
    head: { status: 200, headers: {} },
    place: { lastEventId, retryMs },
  });

  async function waits(outcomes: Streamed[], first: Streamed): Promise<number[]> {
    const waited: number[] = [];
    let asked = 0;
    await resume(
      first,
      {
        listen: async () => outcomes[asked++] ?? first,
        wait: async (milliseconds) => void waited.push(milliseconds),
        isAnswered: () => false,
      },
      () => 0,
    );
    return waited;
  }

  it('is what the server asks for as long as events arrive', async () => {
    const outcomes = [cut('2', 300), cut('3', 300), cut('4', 700)];
    expect((await waits(outcomes, cut('1', 300))).slice(0, 4)).toEqual([300, 300, 300, 700]);
  });

  it('grows if no event arrives, so that an outage of half a minute is survived', async () => {
    const waited = await waits([], cut('1', 10));
    expect(waited).toEqual([250, 500, 1_000, 2_000, 4_000, 8_000, 15_000]);
    expect(waited.reduce((sum, each) => sum + each)).toBeGreaterThan(30_000);
  });
});
