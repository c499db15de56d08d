import { spawn } from 'node:child_process';
import { basename } from 'node:path';
import { describe, expect, it } from 'vitest';
import { clientOf, nameOfProgram } from '../../../main/desktop/activity/client-process.ts';
import { createProxyList } from '../../../main/desktop/activity/proxies.ts';
import type { AttachedProxy } from '../../../preload/contract.ts';
import { clientInWords, serverInWords } from '../../../renderer/activity/words.ts';

const SQL = '/api/2.0/mcp/sql';
const proxy = (id: number) => ({ id, pid: 100 + id, profile: undefined, path: SQL, since: 0 });

describe('the sessions that are shown', () => {
  it('are there at once, get their names when these are known, and go', async () => {
    const shown: AttachedProxy[][] = [];
    const found: ((name: string | null) => void)[] = [];
    const changed = createProxyList(
      (proxies) => shown.push(proxies),
      () => new Promise((resolve) => found.push(resolve)),
    );
    const names = () => shown.at(-1)?.map(({ id, client }) => `${id} ${client}`);
    changed([proxy(1)]);
    changed([proxy(1), proxy(2)]);
    expect(names()).toEqual(['1 null', '2 null']);
    expect(shown.at(-1)?.[0]).toMatchObject({ profile: null, path: SQL, pid: 101 });
    expect(found).toHaveLength(2);
    found[1]?.('cursor');
    await Promise.resolve();
    expect(names()).toEqual(['1 null', '2 cursor']);
    changed([proxy(2)]);
    const before = shown.length;
    found[0]?.('gone');
    await Promise.resolve();
    expect(shown).toHaveLength(before);
    expect(names()).toEqual(['2 cursor']);
  });

  it.skipIf(process.platform === 'win32')('are named after the program that started them', async () => {
    const child = spawn(process.execPath, ['-e', 'process.stdin.resume()'], { stdio: ['pipe', 'ignore', 'ignore'] });
    expect(await clientOf(child.pid ?? 0)).toBe(basename(process.execPath));
    child.stdin.end();
    expect(await clientOf(2 ** 30)).toBeNull();
  });
});

describe('a session in words', () => {
  it.each([
    [SQL, 'SQL'],
    ['/api/2.0/mcp/genie/01ef', 'Genie space 01ef'],
    ['/api/2.0/mcp/functions/main/tools/', 'Functions of main.tools'],
    ['/api/2.0/mcp/vector-search/main/docs/index', 'Vector search in main.docs.index'],
    ['/api/2.0/mcp/external/github', '/api/2.0/mcp/external/github'],
    ['/api/2.0/mcp/sqlite', '/api/2.0/mcp/sqlite'],
  ])('%s is %s', (path, words) => {
    expect(serverInWords(path)).toBe(words);
  });

  it('names its client, as far as there is a name', () => {
    const session = { ...proxy(1), profile: null };
    expect(clientInWords({ ...session, client: 'claude' })).toBe('claude');
    expect(clientInWords({ ...session, client: null })).toBe('An AI client');
    expect(nameOfProgram('/Applications/Claude.app/Contents/MacOS/Claude\n')).toBe('Claude');
    expect(nameOfProgram(' \n')).toBeNull();
  });
});
