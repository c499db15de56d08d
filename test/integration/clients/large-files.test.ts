import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { truncate } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { FILE_LIMITS } from '../../../main/platform/bounded-file.ts';
import { GENIE, type OwnClients, ownClients, SQL } from './own-clients.ts';

const CLAUDE = '.claude.json';
const REWRITER = fileURLToPath(new URL('rewriter.ts', import.meta.url));

/** The file of someone who has used Claude Code for long, of about that size. */
function history(megabytes: number): string {
  const project = (at: number) => [
    `/home/ana/project-${at}`,
    { allowedTools: [], history: [{ display: `fix "number" ${at}: ${'ä {[}] '.repeat(100)}`, pastedContents: {} }] },
  ];
  const projects = Object.fromEntries(Array.from({ length: megabytes * 1_000 }, (_, at) => project(at)));
  return JSON.stringify({ numStartups: 1, projects, mcpServers: { files: { command: 'npx' } }, userID: 'x' }, null, 2);
}

/** Everything but the number of starts and our entries. */
const others = (text: string) => {
  const { numStartups: _, mcpServers, ...rest } = JSON.parse(text);
  return { ...rest, files: mcpServers.files };
};

/** A client that rewrites its file meanwhile. */
async function rewriting(own: OwnClients, form: string, work: () => Promise<void>): Promise<void> {
  const program = spawn(process.execPath, [REWRITER, `${own.home}/${CLAUDE}`, form, '2000'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    await once(program.stdout, 'data');
    await work();
  } finally {
    program.kill();
    await once(program, 'close');
  }
}

describe('a file of 8 MB', () => {
  test.each(['in place', 'renamed'])('gets and loses entries while its client rewrites it (%s)', async (form) => {
    await using own = await ownClients();
    const original = history(8);
    await own.file(CLAUDE, original);
    const service = own.service();
    await rewriting(own, form, async () => {
      const [added] = await service.add(['claude-code'], [SQL, GENIE]);
      expect(added).toMatchObject({ result: 'written', backup: expect.any(String) });
      const [removed] = await service.remove(['claude-code'], [SQL.name, GENIE.name]);
      expect(removed?.error).toBeUndefined();
    });
    expect(others(await own.read(CLAUDE))).toEqual(others(original));
  });

  test('is changed by the bytes of our entry alone, and shows only those as the difference', async () => {
    await using own = await ownClients();
    const original = history(8);
    await own.file(CLAUDE, original);
    const [added] = await own.service().add(['claude-code'], [SQL]);
    const after = await own.read(CLAUDE);
    const at = after.indexOf(',\n    "databricks-sql"');
    const end = after.indexOf('\n  },\n  "userID"');
    expect(after.slice(0, at) + after.slice(end)).toBe(original);
    expect(added?.diff?.length).toBeLessThan(1_000);
    expect(added?.diff).toContain(`@@ -${original.slice(0, original.indexOf('"files"')).split('\n').length - 2},`);
    await own.service().remove(['claude-code'], [SQL.name]);
    expect(await own.read(CLAUDE)).toBe(original);
  });

  test('in one line shows what is around the change', async () => {
    await using own = await ownClients();
    await own.file(CLAUDE, JSON.stringify(JSON.parse(history(8))));
    const [added] = await own.service().add(['claude-code'], [SQL]);
    expect(added?.diff).toMatch(/^-….*"files":\{"command":"npx"\}\},"userID":"x"\}$/m);
    expect(added?.diff).toMatch(/^\+….*"databricks-sql":.*"userID":"x"\}$/m);
    expect(added?.diff?.length).toBeLessThan(5_000);
  });
});

test("a client's file beyond the limit is refused unread, with the limit and what to do", async () => {
  await using own = await ownClients();
  await truncate(await own.file(CLAUDE, '{}'), FILE_LIMITS.client.bytes + 1);
  const [added] = await own.service().add(['claude-code'], [SQL]);
  expect(added?.error?.message).toBe(`${own.home}/${CLAUDE} has 256.1 MiB, and an AI client's file may have 256 MiB.`);
  expect(added?.error?.remedy).toContain('Let the client clear its history');
  const report = (await own.service().survey([SQL])).find(({ id }) => id === 'claude-code');
  expect(report?.files[0]?.problem).toContain('may have 256 MiB');
});

test("a project's file may be smaller only, since others write it", async () => {
  await using own = await ownClients();
  await truncate(await own.file('project/.mcp.json', '{}'), FILE_LIMITS.project.bytes + 1);
  const project = `${own.home}/project`;
  const [added] = await own.service().add(['claude-code'], [SQL], { project });
  expect(added?.error?.message).toContain("and a project's file with MCP servers may have 4 MiB");
});
