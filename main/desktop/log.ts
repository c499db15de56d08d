import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { format } from 'node:util';
import electronLog from 'electron-log/node';
import type { Settings } from '../../preload/contract/settings.ts';
import { withoutControls } from '../platform/display.ts';
import { fileError } from '../platform/file-errors.ts';
import { clearedText } from '../platform/outside-text.ts';
import { logFolder } from '../platform/paths.ts';
import { inOneLine } from '../words/failure.ts';

/** A larger log file becomes `main.old.log`, instead of the one before it. */
const MAX_LOG_BYTES = 1024 * 1024;

export interface Log {
  folder: string;
  write: Pick<Console, 'error' | 'warn' | 'info' | 'debug' | 'log'>;
  setLevel(level: Settings['logLevel']): void;
}

/**
 * The log of the application: a file that is rotated, and the terminal if there is one. Each line is redacted before it
 * goes to either. A log that cannot be written, for example on a full disk, does not stop the application; each line tries
 * again.
 */
export function openLog(env: NodeJS.ProcessEnv, level: Settings['logLevel'], to = { terminal: true }): Log {
  const folder = logFolder(env);
  const log = electronLog.create({ logId: folder });
  const { file, console: terminal } = log.transports;
  const path = join(folder, 'main.log');
  file.resolvePathFn = () => path;
  file.maxSize = MAX_LOG_BYTES;
  file.writeOptions = { ...file.writeOptions, mode: 0o600 };
  terminal.format = '{text}';
  let isTold = false;
  // If electron-log cannot write to a file at first, it never tries again. If a folder is gone, it does not create it again.
  log.hooks.push((message, _transport, name) => {
    if (name !== 'file') return message;
    const failure = whyNotWritable(folder, path);
    if (failure !== undefined && !isTold && to.terminal)
      process.stderr.write(
        `${inOneLine(fileError(path, failure, 'The application keeps running without its log.'))}\n`,
      );
    isTold = failure !== undefined;
    return isTold ? false : message;
  });
  log.hooks.push((message) => ({ ...message, data: [withoutControls(clearedText(format(...message.data)), true)] }));
  const setLevel = (wanted: Settings['logLevel']) => {
    file.level = wanted;
    terminal.level = to.terminal && wanted;
  };
  setLevel(level);
  const { error, warn, info, debug } = log;
  return { folder, write: { error, warn, info, debug, log: info }, setLevel };
}

/** The error with which the log file cannot be appended to; undefined if it can, and it is there then. */
function whyNotWritable(folder: string, path: string): unknown {
  try {
    mkdirSync(folder, { recursive: true });
    appendFileSync(path, '', { mode: 0o600 });
    return undefined;
  } catch (error) {
    return error;
  }
}

/** Redirects `console` to the log. A closed terminal is not a failure. */
export function takeOverConsole({ write }: Log): void {
  Object.assign(console, write);
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
}
