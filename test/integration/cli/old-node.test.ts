import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import manifest from '../../../package.json' with { type: 'json' };

const CAUSEWAY = fileURLToPath(new URL('../../../out/cli/causeway.js', import.meta.url));
const [, OLDEST = ''] = /^>=(\d+\.\d+)$/.exec(manifest.engines.node) ?? [];
const [major = 0, minor = 0] = OLDEST.split('.').map(Number);

/** The built command on a Node that says that it is of another version. */
describe('causeway on a Node', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'causeway-old-node-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  function runOn(version: string, args: string[], more: Record<string, string> = {}) {
    const preload = join(folder, 'preload.cjs');
    const value = `{ ...process.versions, ...${JSON.stringify({ node: version, ...more })} }`;
    writeFileSync(preload, `Object.defineProperty(process, 'versions', { value: ${value} });`);
    const command = ['--require', preload, CAUSEWAY, ...args];
    const { status, stdout, stderr } = spawnSync(process.execPath, command, { encoding: 'utf8', input: '' });
    return { status, stdout, stderr };
  }

  test.each([
    ['20.20.2', ['login', '--host', 'https://a.example']],
    ['18.0.0', ['proxy', '--path', '/api/2.0/mcp/sql']],
    [`${major}.${minor - 1}.9`, ['--version']],
  ])('that is too old (%s) says so, and which one lies beside it: %j', (version, args) => {
    const { status, stdout, stderr } = runOn(version, args);
    expect([status, stdout]).toEqual([1, '']);
    const [why, beside] = stderr.split('\n');
    expect(why).toBe(`causeway: Causeway needs Node ${OLDEST} or newer. This is Node ${version}: ${process.execPath}`);
    // The Node of the checkout, on which these tests run too.
    const [, node = ''] = /^The Node beside it works: "([^"]+)"/.exec(beside ?? '') ?? [];
    expect(node).toMatch(/node_modules.node.bin.node/);
  });

  test.each([`${OLDEST}.0`, `${major + 1}.0.0`])('that is new enough (%s) runs', (version) => {
    expect(runOn(version, ['--version'])).toEqual({ status: 0, stdout: `${manifest.version}\n`, stderr: '' });
  });

  test("that is Electron's own runs", () => {
    const run = runOn('20.18.3', ['--version'], { electron: '33.4.11' });
    expect(run).toEqual({ status: 0, stdout: `${manifest.version}\n`, stderr: '' });
  });
});
