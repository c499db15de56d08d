import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { CAUSEWAY, ProxyProcess } from '../proxy/proxy-process.ts';
import { homeOfAna, SQL, startApplication } from './sql-session.ts';

/** Calls of a tool that is not allowed, spelled so that some server might run them. */

const run = promisify(execFile);
const DROP = '{"name":"execute_sql","arguments":{"query":"DROP TABLE sales"}}';
const call = (method: string, params: string) => `{"jsonrpc":"2.0","id":1,"method":${method},"params":${params}}`;
const SPELLINGS = [
  call('"tools/call"', '["execute_sql",{"query":"DROP TABLE sales"}]'),
  call('"tools/call"', JSON.stringify(DROP)),
  `[[${call('"tools/call"', DROP)}]]`,
  `[${JSON.stringify(call('"tools/call"', DROP))}]`,
  call('"Tools/Call"', DROP),
  call('" tools/call"', DROP),
  call('"tools/call "', DROP),
  call('"tools/call\\u0000"', DROP),
  call('"tools\\u200b/call"', DROP),
  call('"tools\uff0fcall"', DROP),
  `{"jsonrpc":"2.0","id":1,"method":["tools/call"],"result":{},"params":${DROP}}`,
  call('"tools/call"', DROP.replace('"name"', '"Name"')),
  `{"jsonrpc":"2.0","id":1,"method":"ping","Method":"tools/call","params":${DROP}}`,
  call('"tools/call"', DROP.replace('"execute_sql"', '["execute_sql"]')),
];

test.each([
  ['alone', false, ['--profile', 'ana', '--path', SQL]],
  ['through the application', true, ['--profile', 'ana', '--path', SQL]],
  ['among all servers', false, ['--all']],
])('a proxy %s lets none of them through where only reading is allowed', async (_, isRunning, args) => {
  const { env, workspace } = await homeOfAna();
  const shell = { ...env, PATH: process.env.PATH };
  for (const words of [
    ['servers', 'add', '--path', SQL, '--name', 'data', '--profile', 'ana'],
    ['permissions', 'set', 'data', '--read-only'],
  ]) {
    await run(process.execPath, [CAUSEWAY, ...words], { env: shell });
  }
  if (isRunning) await startApplication(env);
  const proxy = new ProxyProcess(args, shell);
  onTestFinished(() => proxy.close());
  await proxy.open({ clientInfo: { name: 'test', version: '1' } });
  await proxy.request('list', 'tools/list');
  for (const spelling of SPELLINGS) proxy.send(spelling);
  const params = { name: 'execute_sql_read_only', arguments: { query: 'SELECT 1' } };
  const { result } = await proxy.request('after', 'tools/call', params);
  expect(JSON.stringify(result)).toContain('statement_id');
  expect(JSON.stringify(workspace.statements)).not.toContain('DROP');
});
