import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { homeOfAna, startApplication } from '../cli/sql-session.ts';
import { ProxyProcess } from '../proxy/proxy-process.ts';
import { runCommand } from '../warehouses/harness.ts';

const OFF = ['execute_sql', 'execute_sql_read_only'];

/** Names by which a client may try to reach a tool that is off. */
const names = fc.constantFrom(
  ...OFF.flatMap((tool) => [
    tool,
    `sql__${tool}`,
    `other__${tool}`,
    `sql__sql__${tool}`,
    tool.toUpperCase(),
    `${tool} `,
  ]),
);
const args = { query: 'SELECT 1' };
const stateless = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'other-client', version: '1' },
};

/** A call of a tool as JSON text, also as servers read it that take the first of two members or ignore case. */
const calls = fc
  .tuple(names, fc.constantFrom('plain', 'twice', 'case', 'escaped', 'meta', 'notification'))
  .map(([name, how]) => {
    const text = JSON.stringify(name);
    const params: Record<typeof how, string> = {
      plain: `"name":${text}`,
      notification: `"name":${text}`,
      twice: `"name":${text},"name":"poll_sql_result"`,
      case: `"Name":${text},"name":"poll_sql_result"`,
      escaped: `"n\\u0061me":"${[...name].map((letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')}"`,
      meta: `"name":${text},"_meta":${JSON.stringify(stateless)}`,
    };
    const body = `"method":"tools/call","params":{${params[how]},"arguments":${JSON.stringify(args)}}`;
    return (id: number) =>
      how === 'notification' ? `{"jsonrpc":"2.0",${body}}` : `{"jsonrpc":"2.0","id":${id},${body}}`;
  });
/** Lines of a client: single calls and batches. */
const lines = fc.array(
  fc.oneof(
    calls.map((call) => [call]),
    fc.array(calls, { minLength: 2, maxLength: 4 }),
  ),
  {
    minLength: 1,
    maxLength: 6,
  },
);

describe.each(['alone', 'through the application'])('a tool that is off, %s', (how) => {
  test('cannot be reached by any name or spelling through all servers as one', async () => {
    const { env, workspace } = await homeOfAna();
    for (const name of ['sql', 'other']) {
      await runCommand(env, ['servers', 'add', 'sql', '--name', name, '--meta', `from=${name}`, '--profile', 'ana']);
      await runCommand(env, ['permissions', 'set', name, '--off', ...OFF]);
    }
    if (how !== 'alone') await startApplication(env);
    const proxy = new ProxyProcess(['--all'], { ...env, PATH: process.env.PATH });
    onTestFinished(() => proxy.close());
    await proxy.open({ protocolVersion: '2025-03-26', clientInfo: { name: 'test', version: '1' } });
    const listed = await proxy.request('list', 'tools/list');
    const shown = (listed.result as { tools: { name: string }[] }).tools.map(({ name }) => name);
    expect(shown.toSorted()).toEqual(['other__poll_sql_result', 'sql__poll_sql_result']);
    let last = 0;
    await fc.assert(
      fc.asyncProperty(lines, async (written) => {
        for (const line of written) {
          const frames = line.map((call) => {
            last += 1;
            return call(last);
          });
          proxy.write(`${frames.length === 1 ? frames[0] : `[${frames.join(',')}]`}\n`);
        }
        // All servers have decided about what came before when each has answered this.
        for (const server of ['sql', 'other']) {
          last += 1;
          await proxy.request(last, 'tools/call', {
            name: `${server}__poll_sql_result`,
            arguments: { statement_id: 'x' },
          });
        }
        expect(workspace.statements).toEqual([]);
      }),
      { numRuns: 25 },
    );
    const answers = proxy.frames.flatMap((frame) => JSON.parse(String(frame)) as { id?: number }[]);
    const ids = answers.flatMap(({ id }) => (typeof id === 'number' ? [id] : []));
    expect(new Set(ids).size).toBe(ids.length);
    await runCommand(env, ['permissions', 'clear', 'sql']);
    await proxy.request('again', 'tools/list');
    await proxy.request('call', 'tools/call', { name: 'sql__execute_sql', arguments: args });
    expect(workspace.statements).toHaveLength(1);
  });
});
