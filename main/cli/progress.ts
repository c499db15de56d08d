import type { CommandContext } from './command.ts';
import { printable } from './print.ts';

/** A line of progress that is overwritten in place in a terminal, and stays out of the way anywhere else. */
export interface Progress {
  update(done: number, total: number): void;
  /** Shows what is going on, in words. */
  say(message: string): void;
  end(): void;
}

const BAR_WIDTH = 24;
const CLEAR_LINE = '\r\u001b[K';

/** What is said once a host has been silent for five seconds. */
export function sayStillWaiting({ stderr }: Pick<CommandContext, 'stderr'>, host: string): void {
  stderr.write(`causeway: ${printable(host)} has not answered for 5 seconds; still waiting…\n`);
}

/** Progress on stderr, so that the output itself can go into a file. Without a terminal only words are printed. */
export function openProgress({ stderr }: Pick<CommandContext, 'stderr'>, quiet = false): Progress {
  const live = stderr.isTTY === true && !quiet;
  let shown = '';
  const show = (line: string) => {
    if (line === shown) return;
    shown = line;
    stderr.write(`${CLEAR_LINE}${line}`);
  };
  return {
    update: (done, total) => {
      if (!live || total === 0) return;
      const filled = Math.round((done / total) * BAR_WIDTH);
      show(`${'█'.repeat(filled)}${'░'.repeat(BAR_WIDTH - filled)} ${done} of ${total}`);
    },
    say: (message) => {
      if (live) show(message);
      else if (!quiet) stderr.write(`${message}\n`);
    },
    end: () => {
      if (live && shown !== '') stderr.write(CLEAR_LINE);
    },
  };
}
