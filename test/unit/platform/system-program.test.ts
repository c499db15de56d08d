import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemProgram } from '../../../main/platform/system-program.ts';

const MAIN = join(import.meta.dirname, '../../../main');
/** A program of Windows as the first argument of a call, or of a list that begins with it. */
const BY_NAME = /[([]\s*'(?:[\w-]+\.exe|cmd|icacls|powershell|reg|rundll32|tasklist|taskkill|where|wmic)'/g;

test('no Windows program is started by its name alone, because Windows looks in the current folder first', () => {
  const files = readdirSync(MAIN, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const found = files.flatMap((file) => [...readFileSync(join(MAIN, file), 'utf8').matchAll(BY_NAME)].map(String));
  expect(files.length).toBeGreaterThan(300);
  expect(found).toEqual([]);
});

test('a Windows program is in the folder that the environment names', () => {
  const name = (env: NodeJS.ProcessEnv) => systemProgram(env, 'reg.exe').replaceAll('\\', '/');
  expect(name({ SystemRoot: 'D:\\Windows' })).toBe('D:/Windows/System32/reg.exe');
  expect(name({})).toBe('C:/Windows/System32/reg.exe');
});
