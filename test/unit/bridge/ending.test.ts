import { getEventListeners } from 'node:events';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Ending, endingWith } from '../../../main/bridge/ending.ts';

function ending(onEnd: () => void = () => {}): Ending {
  return { end: onEnd };
}

describe('an abort signal', () => {
  it('an abort ends everything that was added and not removed, in any order', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 9 })), (steps) => {
        const controller = new AbortController();
        const ended = new Set<number>();
        const all = Array.from({ length: 10 }, (_, at) => ending(() => ended.add(at)));
        const under = new Set<number>();
        for (const at of steps) {
          const one = all[at] ?? ending();
          if (under.delete(at)) endingWith(controller.signal).delete(one);
          else {
            endingWith(controller.signal).add(one);
            under.add(at);
          }
        }
        controller.abort();
        expect(ended).toEqual(under);
      }),
    );
  });

  it('an entry that was added several times is ended once', () => {
    const controller = new AbortController();
    let times = 0;
    const one = ending(() => {
      times += 1;
    });
    endingWith(controller.signal).add(one);
    endingWith(controller.signal).add(one);
    controller.abort();
    expect(times).toBe(1);
  });

  it('an entry can be removed while the others are being ended', () => {
    const controller = new AbortController();
    const ended: string[] = [];
    const one = ending(() => {
      ended.push('one');
      endingWith(controller.signal).delete(one);
    });
    endingWith(controller.signal).add(one);
    endingWith(controller.signal).add(ending(() => ended.push('last')));
    controller.abort();
    expect(ended).toEqual(['one', 'last']);
  });

  it('all entries share one listener: Node 20 warns of more than ten', () => {
    const { signal } = new AbortController();
    for (let count = 0; count < 20; count += 1) endingWith(signal).add(ending());
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
  });
});
