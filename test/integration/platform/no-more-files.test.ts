import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const PROGRAM = fileURLToPath(new URL('no-more-files-program.ts', import.meta.url));

test.skipIf(process.platform === 'win32')(
  'a process that can open no more files says that it starts no program, and lives on',
  async () => {
    const script = 'ulimit -n 40; exec "$0" "$1"';
    const { stdout } = await promisify(execFile)('/bin/sh', ['-c', script, process.execPath, PROGRAM]);
    expect(JSON.parse(stdout)).toEqual({ browser: 'CausewayError: The browser could not be opened.', folders: [] });
  },
);
