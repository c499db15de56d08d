/**
 * `node test/clients/first-minute.ts [--dir DIR] [CLIENT…]`: the first minute of a client on a computer on which nobody has
 * signed in, as a log with times: what the client asks, what Causeway answers, what the user sees and does.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { scriptedBrowser } from '../integration/auth/scripted-browser.ts';
import { startWorkspace } from '../workspace/workspace.ts';
import { addEntry, CAUSEWAY, openComputer } from './computer.ts';
import { startFakeModel } from './fake-model.ts';
import { install } from './install.ts';
import { REAL_CLIENTS, type RealClient } from './real-clients.ts';

/** How long the user looks at the page before they sign in, in milliseconds. */
const THINKING_MS = 3000;
const SESSION_MS = 120_000;
const LISTENER = fileURLToPath(new URL('wire-listener.ts', import.meta.url));

const Message = z.looseObject({
  id: z.union([z.string(), z.number()]).optional(),
  method: z.string().optional(),
  params: z.looseObject({ name: z.string().optional(), progress: z.number().optional() }).optional(),
  result: z
    .looseObject({
      tools: z.array(z.looseObject({ name: z.string() })).optional(),
      content: z.array(z.looseObject({ text: z.string().optional() })).optional(),
    })
    .optional(),
  error: z.looseObject({ message: z.string() }).optional(),
});
const Noted = z.object({
  at: z.number(),
  pid: z.number(),
  from: z.enum(['client', 'causeway', 'system']),
  line: z.string().optional(),
  started: z.boolean().optional(),
  ended: z.boolean().optional(),
});

interface Event {
  at: number;
  says: string;
}

const { values, positionals } = parseArgs({ options: { dir: { type: 'string' } }, allowPositionals: true });
const wanted = positionals.length > 0 ? positionals : ['cline', 'claude-code'];
const scratch = await mkdtemp(join(tmpdir(), 'causeway-first-minute-'));
try {
  for (const client of REAL_CLIENTS.filter(({ id, as }) => wanted.includes(id) && as === undefined)) {
    const packages = join(values.dir ?? join(scratch, 'packages'), client.id);
    const version = await install(packages, client.install);
    console.log(`\n${client.id} ${version ?? 'could not be installed'}`);
    if (version !== undefined) for (const line of await film(client, packages)) console.log(line);
  }
} finally {
  await rm(scratch, { recursive: true, force: true, maxRetries: 5 });
}

/** One session of a client, as lines. */
async function film(client: RealClient, packages: string): Promise<string[]> {
  const home = await mkdtemp(join(scratch, `${client.id}-`));
  const workspace = await startWorkspace({ autoApprove: 'ana@example.com' });
  const model = await startFakeModel();
  const computer = await openComputer(client, { home, model: model.url }, packages);
  try {
    await computer.consents(false);
    await computer.profile([`host = ${workspace.host}`]);
    const wire = join(home, 'wire');
    const script = join(home, 'causeway.js');
    const started = [LISTENER, wire, CAUSEWAY].map((each) => JSON.stringify(each)).join(', ');
    await writeFile(script, `process.argv.splice(1, 1, ${started});\nimport(${JSON.stringify(LISTENER)});\n`);
    await addEntry(computer, client);
    await computer.writeFile((await computer.file()).replaceAll(CAUSEWAY, script));
    const began = Date.now();
    const events: Event[] = [{ at: began, says: `the person starts ${client.id}` }];
    const ended = new AbortController();
    const person = attend(computer.pages, events, ended.signal);
    await computer.run(client.session(computer.where), SESSION_MS, (text) => {
      for (const line of text.split('\n').filter((each) => each.trim() !== ''))
        events.push({ at: Date.now(), says: `  on the screen: ${line.trim().slice(0, 160)}` });
    });
    events.push({ at: Date.now(), says: `${client.id} has ended` });
    ended.abort();
    await person;
    const heard = (await readFile(wire, 'utf8').catch(() => '')).split('\n').filter(Boolean);
    events.push(...onTheWire(heard.map((line) => Noted.parse(JSON.parse(line)))));
    const pages = await computer.pages();
    const lines = events.sort((a, b) => a.at - b.at).map(({ at, says }) => `${seconds(at - began)}  ${says}`);
    return [...lines, `browser pages in all: ${pages.length}; row reached the model: ${model.gotRow() ? 'yes' : 'no'}`];
  } finally {
    await computer[Symbol.asyncDispose]();
    await model[Symbol.asyncDispose]();
    await workspace.close();
  }
}

function seconds(durationMs: number): string {
  return `${(durationMs / 1000).toFixed(2).padStart(7)} s`;
}

/** The user: looks at the first page for a while, then signs in. */
async function attend(pages: () => Promise<string[]>, events: Event[], ended: AbortSignal): Promise<void> {
  let seen = 0;
  while (!ended.aborted) {
    const all = await pages();
    for (const page of all.slice(seen)) {
      seen += 1;
      events.push({ at: Date.now(), says: `a browser page opens (${seen}): ${new URL(page).pathname}` });
      if (seen > 1) continue;
      await sleep(THINKING_MS);
      events.push({ at: Date.now(), says: 'the person signs in on the page' });
      const browser = scriptedBrowser();
      await browser.open(page);
      const { status, text } = await browser.page();
      events.push({ at: Date.now(), says: `the page says (${status}): ${wordsOf(text)}` });
    }
    await sleep(50);
  }
}

/** What a page says, without its markup. */
function wordsOf(page: string): string {
  const body = page.replace(/^[\s\S]*<body[^>]*>/i, '').replaceAll(/<(script|style)[\s\S]*?<\/\1>/gi, '');
  return body
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, 160);
}

/** What went to and fro between the client and its `causeway proxy`. */
function onTheWire(noted: z.output<typeof Noted>[]): Event[] {
  const asked = new Map<string, string>();
  return noted.flatMap(({ at, pid, from, line, started, ended }) => {
    const who = `causeway proxy ${pid}`;
    if (started) return [{ at, says: `${who} is started` }];
    if (ended) return [{ at, says: `${who} has ended` }];
    const message = Message.safeParse(JSON.parse(line ?? '{}')).data;
    if (!message) return [];
    const { id, method, params, result, error } = message;
    const key = `${pid} ${id}`;
    if (from === 'client') {
      const what = `${method ?? 'an answer'}${params?.name === undefined ? '' : ` ${params.name}`}`;
      if (id !== undefined && method !== undefined) asked.set(key, what);
      return [{ at, says: `client asks: ${what}` }];
    }
    if (method !== undefined) return [{ at, says: `causeway says: ${method}` }];
    const tools = result?.tools?.map(({ name }) => name).join(', ');
    const text = result?.content?.map((part) => part.text ?? '').join(' ');
    const answer = error?.message ?? tools ?? text ?? 'answered';
    return [{ at, says: `causeway answers ${asked.get(key) ?? ''}: ${answer.replaceAll(/\s+/g, ' ').slice(0, 200)}` }];
  });
}
