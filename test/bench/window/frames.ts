import type { Page } from 'playwright-core';

/** What sixty frames a second leave for each. */
export const FRAME_MS = 16.7;

export type ScrollWay = { kind: 'steps'; pixels: number; frames: number } | { kind: 'jumps'; frames: number };

/** One frame: milliseconds since the one before, milliseconds until it was drawn, and how much of what was in sight was there. */
interface Frame {
  interval: number;
  work: number;
  rows: number;
  empty: number;
}

export interface FrameFigures {
  interval: { p50: number; p95: number; worst: number };
  /** From a frame's beginning until the page's own thread is free again: scripts, layout, painting. */
  work: { p50: number; p95: number };
  overBudget: number;
  overFifty: number;
  /** The share of rows in sight that were not there yet. */
  empty: number;
}

/** Scrolls the page's table from its top, a step in each frame, and tells of every frame. */
export function scroll(page: Page, way: ScrollWay): Promise<Frame[]> {
  return page.evaluate(async (how) => {
    const scroller = document.querySelector('[role=grid]');
    if (!scroller) throw new Error('There is no table.');
    scroller.scrollTop = 0;
    const frames: { interval: number; work: number; rows: number; empty: number }[] = [];
    const { port1, port2 } = new MessageChannel();
    const drawn = () =>
      new Promise<void>((resolve) => {
        port1.onmessage = () => resolve();
        port2.postMessage(null);
      });
    let last: number | undefined;
    for (let at = 0; at <= how.frames; at += 1) {
      const start = await new Promise<number>(requestAnimationFrame);
      const end = scroller.scrollHeight - scroller.clientHeight;
      if (how.kind === 'steps') scroller.scrollTop = (scroller.scrollTop + how.pixels) % Math.max(1, end);
      else if (at % 10 === 0) scroller.scrollTop = ((at * 7919) % 1000) * (end / 1000);
      const { top, bottom } = scroller.getBoundingClientRect();
      const rows = [...scroller.querySelectorAll('[role=row]')].filter((row) => {
        const box = row.getBoundingClientRect();
        return box.bottom > top && box.top < bottom;
      });
      const empty = rows.filter((row) => row.textContent === '').length;
      await drawn();
      const now = performance.now();
      if (last !== undefined) frames.push({ interval: start - last, work: now - start, rows: rows.length, empty });
      last = start;
    }
    return frames;
  }, way);
}

export function frameFigures(frames: readonly Frame[]): FrameFigures {
  const interval = frames.map((frame) => frame.interval).sort((a, b) => a - b);
  const work = frames.map((frame) => frame.work).sort((a, b) => a - b);
  const sum = (of: (frame: Frame) => number) => frames.reduce((total, frame) => total + of(frame), 0);
  return {
    interval: { p50: at(interval, 0.5), p95: at(interval, 0.95), worst: at(interval, 1) },
    work: { p50: at(work, 0.5), p95: at(work, 0.95) },
    overBudget: work.filter((value) => value > FRAME_MS).length / work.length,
    overFifty: interval.filter((value) => value > 50).length / interval.length,
    empty:
      sum(({ empty }) => empty) /
      Math.max(
        1,
        sum(({ rows }) => rows),
      ),
  };
}

function at(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}
