/**
 * `npm run conformance`: the server scenarios of @modelcontextprotocol/conformance against the reference "everything"
 * server, once directly and once with `causeway proxy` in between. Both are installed outside the project. What fails
 * directly too is the server's affair: the suite asks for tools that another server has. Ends with 1 where they differ.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startForwarder } from './forwarder.ts';
import { serveOverHttp } from './stdio-over-http.ts';
import { installSuite, runServerSuite, startEverything } from './suite.ts';

const PORT = 39_217;

const folder = process.argv[2] ?? (await installSuite());
const everything = await startEverything(folder, PORT);
const forwarder = await startForwarder(everything.url);
const home = await mkdtemp(join(tmpdir(), 'causeway-conformance-home-'));
await writeFile(join(home, '.databrickscfg'), `[DEFAULT]\nhost = ${forwarder.origin}\ntoken = dapi\n`, { mode: 0o600 });
const command = fileURLToPath(new URL('../../out/cli/causeway.js', import.meta.url));
const env = { HOME: home, USERPROFILE: home, PATH: process.env.PATH };
const sandwich = await serveOverHttp([command, 'proxy', '--path', '/api/2.0/mcp/everything'], env);

const direct = await runServerSuite(folder, everything.url.href);
const through = await runServerSuite(folder, sandwich.url);
let differing = 0;
for (const [name, result] of direct) {
  const ours = through.get(name) ?? 'did not run';
  if (ours !== result) differing += 1;
  console.log(`${ours === result ? ' ' : '≠'} ${name.padEnd(36)} direct ${result.padEnd(22)} through causeway ${ours}`);
}
console.log(`${direct.size} scenarios, ${differing} differ`);

sandwich.close();
forwarder.close();
everything.close();
await rm(home, { recursive: true });
if (process.argv[2] === undefined) await rm(folder, { recursive: true });
process.exitCode = direct.size > 0 && differing === 0 ? 0 : 1;
