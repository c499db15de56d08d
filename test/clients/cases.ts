import { spawn } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCauseway } from '../../main/app/causeway.ts';
import type { ClientFacts } from '../../main/clients/client.ts';
import { startOf } from '../../main/clients/start.ts';
import { CLIENTS, clientOnWire } from '../../main/clients/table.ts';
import { scriptedBrowser } from '../integration/auth/scripted-browser.ts';
import { startWorkspace } from '../workspace/workspace.ts';
import {
  addAllInOne,
  addEntry,
  addService,
  addSqlServer,
  CAUSEWAY,
  type Computer,
  openComputer,
  type User,
} from './computer.ts';
import { CODE, ROW, startFakeModel } from './fake-model.ts';
import type { CaseName, RealClient, SignInCommand } from './real-clients.ts';
import { openTap } from './tap.ts';

/** How a case ended: passed, failed, or not possible with that client and why. */
export type Result = { state: 'passed' | 'failed' | 'not possible'; says: string };

/** How long a session may take, in milliseconds; clients need long to start on a busy machine. */
const SESSION_MS = 120_000;
/** How long the long call takes, in milliseconds: with `--long`, longer than clients wait where nothing is said to them, and without. */
const LONG_CALL_MS = { long: 200_000, short: 15_000 };

/** A service with a sign-in of its own. */
const SERVICE = 'system.ai.github';

/** The functions of a schema. */
const FUNCTIONS = '/api/2.0/mcp/functions/main/default';

/** The OAuth application that clients sign in as by themselves. */
const APPLICATION = 'an-application';

/** What a case needs, put away afterwards. */
async function setting(client: RealClient, { home, packages, callTakesMs, application, env, only }: Needs) {
  const workspace = await startWorkspace({
    ...(application?.port === undefined ? {} : { port: application.port }),
    autoApprove: 'ana@example.com',
    oauthClients: application ? [{ clientId: APPLICATION, redirectUris: [application.redirectUri] }] : [],
  });
  const model = await startFakeModel();
  const tap = await openTap(workspace.host, callTakesMs);
  const computer = await openComputer(client, { home, model: model.url }, packages, {
    ...(env && { env }),
    ...(only && { only }),
  });
  await computer.consents(false);
  const token = workspace.users.find(({ admin }) => admin)?.token ?? '';
  return {
    workspace,
    model,
    tap,
    computer,
    /** A profile with a token, whose requests the tap hears. */
    signedIn: () => computer.profile([`host = ${tap.host}`, `token = ${token}`]),
    /** A profile that Causeway has to sign in for in the browser. */
    signedOut: () => computer.profile([`host = ${workspace.host}`]),
    /** The same workspace with a token, without the tap. */
    usedBefore: () => computer.profile([`host = ${workspace.host}`, `token = ${token}`]),
    [Symbol.asyncDispose]: async () => {
      await computer[Symbol.asyncDispose]();
      await tap[Symbol.asyncDispose]();
      await model[Symbol.asyncDispose]();
      await workspace.close();
    },
  };
}

/** Where sign-ins are kept: there is no keychain. */
const ENCRYPTED_FILE = { CAUSEWAY_TOKEN_STORE: 'encrypted-file' };

/** The running application, signed in to the workspace, whose user signs in on each page that it opens. */
async function startApplication(home: string) {
  const pages: string[] = [];
  const browser = scriptedBrowser();
  const openBrowser = async (url: string) => {
    pages.push(url);
    await browser.open(url);
  };
  const env = { HOME: home, USERPROFILE: home, ...ENCRYPTED_FILE };
  const causeway = createCauseway({ env, openBrowser });
  const auth = await causeway.auth();
  await auth.signIn(await auth.profile('ana'));
  pages.length = 0;
  const hub = await causeway.serveProxies();
  return {
    /** The pages that it has opened since it runs. */
    pages,
    [Symbol.asyncDispose]: async () => {
      await hub.close();
      await causeway.close();
    },
  };
}

interface Needs extends Options, User {
  callTakesMs?: number;
  /** Where the application that clients sign in as may send the browser, and the workspace's port where that matters. */
  application?: { redirectUri: string; port?: number };
}

interface Options {
  /** An empty folder. */
  home: string;
  packages: string;
  /** Whether calls that take long may. */
  isLong: boolean;
}

const passed = (says: string): Result => ({ state: 'passed', says });
const failed = (says: string, output: string): Result => ({
  state: 'failed',
  says: `${says}: ${output.trim().split('\n').slice(-4).join(' | ').slice(-400)}`,
});

const counted = (pages: number) => (pages === 1 ? '1 page' : `${pages} pages`);

/** The cases that only clients can pass whose model can be put in its vendor's place. */
export const NEEDS_MODEL: readonly CaseName[] = ['service', 'all in one', 'another user'];
/** The cases that take long, or need a computer of their own. */
export const NIGHTLY: readonly CaseName[] = ['bare environment', 'no keychain', 'project', 'long call', 'busy machine'];

/** The cases, by name, in the order of the table. */
export const CASES: Record<CaseName, (client: RealClient, options: Options) => Promise<Result>> = {
  /** The entry is added to a file that the user has, and removed again without a trace. */
  async entry(client, options) {
    await using set = await setting(client, options);
    await set.signedIn();
    const before = await set.computer.file();
    if (!(await addEntry(set.computer, client))) return failed('not written', await set.computer.file());
    const added = await set.computer.file();
    const removed = await set.computer.causeway('clients', 'remove', client.id, '--yes', '--json');
    const after = await set.computer.file();
    if (!added.includes('databricks-sql')) return failed('not in the file', added);
    return after === before ? passed('bytes as before') : failed('not as before', removed + after);
  },

  /** The client connects, lists, calls, and gets the row; what the client made of its file is without the entry afterwards. */
  async row(client, options) {
    await using set = await setting(client, options);
    await set.signedIn();
    await addEntry(set.computer, client);
    const output = await converse(client, set);
    if (!set.tap.methods.includes('tools/list') && !client.onlyConnects) return failed('did not list', output);
    if (client.withoutModel !== undefined && set.model.offered.size > 0)
      return failed('its model can be put in its vendor’s place', [...set.model.offered].join(' '));
    if (client.withoutModel !== undefined && !client.calls) {
      if (!client.connected?.test(output)) return failed('not connected', output);
    } else if (!(set.model.gotRow() || output.includes(ROW))) return failed('no row', output);
    await set.computer.causeway('clients', 'remove', client.id, '--yes', '--json');
    if ((await set.computer.file()).includes('databricks-sql')) return failed('not removed', await set.computer.file());
    const unknown = [...set.tap.clientNames].filter((name) => clientOnWire(name)?.id !== client.id);
    if (unknown.length > 0 && !client.standsIn && !client.onlyConnects)
      return failed(`called itself ${unknown.join(', ')}`, output);
    if (client.withoutModel === undefined || client.calls) return passed('row');
    return passed(client.onlyConnects ? 'connected' : 'connected, listed');
  },

  /** Never used, signed out: the server is connected, and one tool of ours signs in with one page. */
  async 'signed out, new'(client, options) {
    await using set = await setting(client, options);
    await set.signedOut();
    await set.computer.consents(true);
    await addEntry(set.computer, client);
    const output = await set.computer.run(client.session(set.computer.where), SESSION_MS);
    const pages = (await set.computer.pages()).length;
    if (pages > 1) return failed(`${pages} pages`, output);
    if (client.withoutModel !== undefined) {
      return client.connected?.test(output) ? passed(`connected, ${counted(pages)}`) : failed('not connected', output);
    }
    if (pages !== 1) return failed('no page', `${[...set.model.offered].join(' ')} ${set.model.results.join(' ')}`);
    if (set.model.gotRow()) return passed('signed in, row');
    const ours = set.model.asked.find((name) => /sign_in$/.test(name));
    if (ours === undefined) return failed(`no sign_in among ${[...set.model.offered].join(' ')}`, output);
    const told = set.model.results.join('\n');
    return told.includes('Signed in to') ? passed('signed in') : failed('not signed in', told);
  },

  /** Used before, signed out since: the tools are those known, and a call says what to do. */
  async 'signed out, used'(client, options) {
    await using set = await setting(client, options);
    await set.usedBefore();
    await addEntry(set.computer, client);
    await set.computer.run(client.session(set.computer.where), SESSION_MS);
    await set.signedOut();
    const heard = set.model.results.length;
    set.model.forget();
    const output = await converse(client, set);
    if (client.withoutModel !== undefined && !client.calls) {
      return client.connected?.test(output) ? passed('connected') : failed('not connected', output);
    }
    if (!client.calls && ![...set.model.offered].some((name) => name.endsWith('execute_sql')))
      return failed(`the known tools were not offered, but ${[...set.model.offered].join(' ')}`, output);
    const told = client.calls ? output : set.model.results.slice(heard).join('\n');
    const pages = (await set.computer.pages()).length;
    if (pages > 1) return failed(`${pages} pages`, told);
    return /sign(?:ed|s)?[ -](?:in|out)/i.test(told)
      ? passed(`told to sign in, ${counted(pages)}`)
      : failed('told', told + output);
  },

  /** The entry gives the server's address: the client itself signs in, and gets the row. */
  async http(client, options) {
    const { signsIn } = client;
    if (!signsIn) return withoutSignIn(client, options);
    const application = signsIn.redirectUri
      ? { redirectUri: signsIn.redirectUri }
      : await applicationSeen(client, signsIn, options);
    if (!application) return failed('showed no page', 'at the first attempt');
    await using set = await setting(client, { ...options, application });
    await set.signedOut();
    await set.computer.consents(true);
    if (!(await addAddress(client, signsIn, set))) return failed('not written', await set.computer.file());
    const shown: string[] = [];
    const personOpens = hearingAddress((address) => {
      shown.push(address);
      void scriptedBrowser().open(address);
    });
    const told = await set.computer.run(signsIn.command, SESSION_MS, signsIn.printsAddress && personOpens);
    const pages = (await set.computer.pages()).length + shown.length;
    if (pages !== 1) return failed(counted(pages), told);
    const output = await converse(client, set);
    if (!set.model.gotRow()) return failed('no row', told + output);
    return passed(signsIn.printsAddress ? 'address printed, row' : 'signed in, row');
  },

  /** A service whose user has not signed in to what is behind it: one page, the answer, and none for who comes later. */
  async service(client, options) {
    await using set = await setting(client, { ...options, env: ENCRYPTED_FILE });
    await set.signedOut();
    await using application = await startApplication(set.computer.where.home);
    if (!(await addService(set.computer, client, `/ai-gateway/mcp-services/${SERVICE}`)))
      return failed('not written', await set.computer.file());
    const first = await askService(client, set, application.pages);
    if (first.state === 'failed') return first;
    const before = application.pages.length;
    await again(client, set);
    if (!set.model.results.join('\n').includes(CODE)) return failed('not answered again', set.model.results.join('\n'));
    const more = application.pages.length - before;
    return more === 0 ? passed(`${first.says}, then none`) : failed(`${more} pages more`, '');
  },

  /** One entry for four servers: its model is offered the tools of all, and calls two of them, of which one waits for a sign-in. */
  async 'all in one'(client, options) {
    await using set = await setting(client, { ...options, env: ENCRYPTED_FILE });
    await set.signedOut();
    await using application = await startApplication(set.computer.where.home);
    const [space] = set.workspace.state.genieSpaces;
    const paths = [`/ai-gateway/mcp-services/${SERVICE}`, `/api/2.0/mcp/genie/${space?.spaceId}`, FUNCTIONS];
    if (!(await addAllInOne(set.computer, client, paths))) return failed('not written', await set.computer.file());
    if (!/--all\b/.test(await set.computer.file())) return failed('no such entry', await set.computer.file());
    const first = await askService(client, set, application.pages);
    if (first.state === 'failed') return first;
    if (!set.model.gotRow()) return failed('no row', set.model.results.join('\n'));
    const offered = [...set.model.offered].join(' ');
    const missing = ['execute_sql', 'search_code', 'query_space_', 'main__default__'].filter(
      (name) => !offered.includes(name),
    );
    const isSearched = /tool_?search/i.test(offered);
    return missing.length === 0 || isSearched
      ? passed(`${first.says}, row${isSearched ? ' (by search)' : ''}`)
      : failed(`without ${missing.join(', ')}`, offered);
  },

  /** Another user signs in between two calls of one session, after a sign-out and without one, alone and through the application. */
  async 'another user'(client, options) {
    const said: string[] = [];
    for (const through of ['alone', 'application'] as const)
      for (const before of ['no sign-out', 'sign-out'] as const) {
        const home = join(options.home, `${through}, ${before}`.replaceAll(/\W+/g, '-'));
        const result = await changeUser(client, { ...options, home }, { through, before });
        if (result.state === 'failed') return { ...result, says: `${through}, ${before}: ${result.says}` };
        said.push(result.says);
      }
    return passed([...new Set(said)].join(' / '));
  },

  /**
   * Started with next to nothing in its environment, and with what its row says that it hands on: the row is what reaches a server, and is
   * enough for one.
   */
  async 'bare environment'(client, options) {
    const { start } = factsOf(client);
    const handsOn = start?.variables ?? 'all';
    const listed = typeof handsOn === 'object' && 'only' in handsOn ? handsOn.only : [];
    const only = Object.fromEntries(Object.entries(USERS_OWN).filter(([name]) => listed.includes(name)));
    await using set = await setting(client, { ...options, only: { ...only, ...MARKERS } });
    await set.signedIn();
    if (!(await addEntry(set.computer, client))) return failed('not written', await set.computer.file());
    const reached = await noteEnvironment(set.computer);
    const output = await converse(client, set);
    if (!isAnswered(client, set, output)) return failed('no row', set.model.results.join(' ') + output);
    const { home } = set.computer.where;
    const environment = { system: 'linux', home, env: set.computer.env } as const;
    const expected = Object.keys(startOf(factsOf(client), { command: 'causeway' }, environment, home)?.env ?? {});
    const got = await reached();
    const missing = expected.filter((name) => !got.includes(name));
    const besides = Object.keys(MARKERS).filter((name) => got.includes(name) && !expected.includes(name));
    if (missing.length > 0) return failed('hands on less than its row says', missing.join(' '));
    if (besides.length > 0) return failed('hands on more than its row says', besides.join(' '));
    return passed(
      `${got.length} variables, ${client.withoutModel !== undefined && !client.calls ? 'connected' : 'row'}`,
    );
  },

  /** Signed in at a terminal into the encrypted file, with nothing of that in the environment: two sessions have it. */
  async 'no keychain'(client, options) {
    await using set = await setting(client, options);
    await set.signedOut();
    await set.computer.consents(true);
    const login = await set.computer.causeway('login', '--profile', 'ana', '--store', 'encrypted-file');
    const signedIn = (await set.computer.pages()).length;
    if (signedIn !== 1) return failed(`${counted(signedIn)} to sign in`, login);
    await addEntry(set.computer, client);
    const output = await converse(client, set);
    if (!isAnswered(client, set, output)) return failed('no row', set.model.results.join(' ') + output);
    const second = await again(client, set);
    if (!isAnswered(client, set, second)) return failed('no row again', set.model.results.join(' ') + second);
    const more = (await set.computer.pages()).length - signedIn;
    return more === 0 ? passed('1 page, two sessions') : failed(`${counted(more)} more`, second);
  },

  /** The entry stands in the project's file: without the user's trust nothing of it is started, with it there is a row. */
  async project(client, options) {
    const { project } = factsOf(client);
    await using set = await setting(client, options);
    await set.signedIn();
    const folder = join(options.home, 'project');
    await mkdir(folder);
    if (!(await addEntry(set.computer, client, '--project', folder)))
      return project
        ? failed('not written', folder)
        : { state: 'not possible', says: 'Causeway knows no file of it for a project' };
    const { trust } = client;
    set.computer.goTo(folder, trust?.before);
    if (project?.trust === undefined) {
      const output = await converse(client, set);
      return isAnswered(client, set, output)
        ? passed('without trust')
        : failed('no row', set.model.results.join(' ') + output);
    }
    const untrusted = trust?.asks
      ? await set.computer.run(trust.asks.command, SESSION_MS)
      : await converse(client, set);
    if (trust?.asks ? !trust.asks.says.test(untrusted) : isAnswered(client, set, untrusted))
      return failed('it was not asked for trust', untrusted);
    const { home } = set.computer.where;
    for (const { path, text } of trust?.files ?? []) {
      const before = await readFile(join(home, path), 'utf8').catch(() => '');
      await writeFile(join(home, path), text(before, folder));
    }
    set.computer.goTo(folder);
    const said = trust?.command ? await set.computer.run(trust.command, SESSION_MS) : '';
    const trusted = await again(client, set);
    return isAnswered(client, set, trusted)
      ? passed('nothing, then trusted, row')
      : failed('no row', said + set.model.results.join(' ') + trusted);
  },

  /** A call that takes longer than most clients wait by themselves; without `--long`, one that takes a few seconds. */
  async 'long call'(client, options) {
    if (client.withoutModel !== undefined && !client.calls) return { state: 'not possible', says: client.withoutModel };
    const callTakesMs = options.isLong ? LONG_CALL_MS.long : LONG_CALL_MS.short;
    await using set = await setting(client, { ...options, callTakesMs });
    await set.signedIn();
    await addEntry(set.computer, client);
    const output = await converse(client, set, callTakesMs);
    return isAnswered(client, set, output)
      ? passed(`row after ${callTakesMs / 1000} s`)
      : failed('no row', set.model.results.join(' ') + output);
  },

  /** All processors are busy with others' work: the tools are there by the client's first turn all the same. */
  async 'busy machine'(client, options) {
    const others = Array.from({ length: availableParallelism() * 3 }, () =>
      spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }),
    );
    try {
      return await CASES.row(client, options);
    } finally {
      for (const other of others) other.kill('SIGKILL');
    }
  },
};

/** What a user has in the environment, for clients that hand on these and no others. */
const USERS_OWN = {
  LANG: 'C.UTF-8',
  LC_ALL: 'C.UTF-8',
  LOGNAME: 'ana',
  SHELL: '/bin/sh',
  TERM: 'dumb',
  TMPDIR: tmpdir(),
  TZ: 'UTC',
  USER: 'ana',
};
/** By which one sees whether a client hands on all, or all but what looks like a secret. */
const MARKERS = { CAUSEWAY_TEST_WORD: 'word', CAUSEWAY_TEST_TOKEN: 'word' };

function factsOf({ id }: RealClient): ClientFacts {
  const facts = CLIENTS.find((client) => client.id === id);
  if (!facts) throw new Error(`Causeway knows no client ${id}.`);
  return facts;
}

/** Lets the entry start a script that notes its variables first. @returns what reads their names */
async function noteEnvironment(computer: Computer): Promise<() => Promise<string[]>> {
  const { home } = computer.where;
  const [script, noted] = [join(home, 'causeway.js'), join(home, 'environment')];
  const lines = [
    `require('node:fs').writeFileSync(${JSON.stringify(noted)}, Object.keys(process.env).join('\\n'));`,
    `process.argv[1] = ${JSON.stringify(CAUSEWAY)};`,
    `import(process.argv[1]);`,
  ];
  await writeFile(script, `${lines.join('\n')}\n`);
  await computer.writeFile((await computer.file()).replaceAll(CAUSEWAY, script));
  return async () => (await readFile(noted, 'utf8')).split('\n');
}

/** Whether a session had what there is to have: the row, or, of a client that calls nothing here, the connection. */
function isAnswered(client: RealClient, { model }: Setting, output: string): boolean {
  if (client.withoutModel !== undefined && !client.calls) return client.connected?.test(output) ?? false;
  return model.gotRow() || output.includes(ROW);
}

/** Another session, whose model has heard nothing yet. */
function again(client: RealClient, set: Setting): Promise<string> {
  set.model.forget();
  set.model.results.length = 0;
  return converse(client, set);
}

/**
 * Asks a service that its user has not signed in to: the application opens the page, or, for a client that declines pages without a
 * person to show them to, the model is given the page's address, which the user then opens.
 */
async function askService(client: RealClient, set: Setting, pages: string[]): Promise<Result> {
  const output = await converse(client, set);
  const told = set.model.results.join('\n');
  const [inWords] = /https?:\/\/[^\s"\\]+\/mcp-service-login\?[^\s"\\]+/.exec(told) ?? [];
  if (pages.length === 1 && pages[0]?.includes('/mcp-service-login?'))
    return told.includes(CODE)
      ? client.declinesPages
        ? failed('it no longer declines pages', told)
        : passed('1 page')
      : failed('not answered', told + output);
  if (pages.length > 0) return failed(counted(pages.length), pages.join());
  if (!client.declinesPages || inWords === undefined) return failed('no page', told + output);
  const browser = scriptedBrowser();
  await browser.open(inWords);
  await browser.page();
  const second = await again(client, set);
  return set.model.results.join('\n').includes(CODE)
    ? passed('address in words')
    : failed('not answered', set.model.results.join('\n') + second);
}

/** An entry with an address, for a client that has no command to sign in with. */
async function withoutSignIn(client: RealClient, options: Options): Promise<Result> {
  await using set = await setting(client, { ...options, application: { redirectUri: 'http://127.0.0.1/none' } });
  await set.signedOut();
  await set.computer.consents(true);
  await addSqlServer(set.computer);
  const asked = ['clients', 'add', client.id, '--json', '--http', '--client-id', APPLICATION];
  const written = await set.computer.causeway(...asked);
  if (!/"result": "written"/.test(written)) return failed('not written', written);
  const output = await converse(client, set);
  const pages = (await set.computer.pages()).length;
  return set.model.gotRow() ? passed('row') : failed(`no row, ${counted(pages)}`, output);
}

const [ANA, BEN] = ['ana@example.com', 'ben@example.com'];

/** The first call is made as Ana; the second is refused, since the session is hers; the third is made as Ben. The server's log tells. */
async function changeUser(
  client: RealClient,
  options: Options,
  { through, before }: { through: 'alone' | 'application'; before: 'no sign-out' | 'sign-out' },
): Promise<Result> {
  await using set = await setting(client, { ...options, env: ENCRYPTED_FILE });
  const { computer, workspace, model } = set;
  await set.signedOut();
  await computer.consents(true);
  const login = () => computer.causeway('login', '--profile', 'ana');
  await using application = through === 'application' ? await startApplication(computer.where.home) : undefined;
  const printed = [application ? '' : await login()];
  await addEntry(computer, client);
  model.askThrice(async () => {
    workspace.approve({ as: BEN });
    if (before === 'sign-out') printed.push(await computer.causeway('logout', '--profile', 'ana'));
    printed.push(await login());
  });
  const output = await converse(client, set);
  const owners = workspace.statements.map(({ user }) => user.userName).join(', ');
  if (owners !== `${ANA}, ${BEN}`)
    return failed(`made as ${owners}`, [...printed, ...model.results, output].join('\n'));
  const isTold = model.results.some((result) =>
    result.includes(`This session was started as ${ANA}. Nothing was sent.`),
  );
  return isTold ? passed('as Ana, refused in words, as Ben') : failed('in silence', model.results.join('\n'));
}

/** Adds the entry with the server's address. */
function addAddress(client: RealClient, { options = [] }: SignInCommand, { computer }: Setting): Promise<boolean> {
  return addEntry(computer, client, '--http', '--client-id', APPLICATION, ...options);
}

/** Calls back with the address of the page on which someone is to sign in, once, as soon as that is printed whole. */
function hearingAddress(onAddress: (address: string) => unknown): (text: string) => void {
  let printed = '';
  let isFound = false;
  return (text) => {
    printed += text;
    const address = /(https?:\/\/\S+\/authorize\?\S+)\s/.exec(printed)?.[1];
    if (address === undefined || isFound) return;
    isFound = true;
    void onAddress(address);
  };
}

/** Where the page of a first attempt would lead back to: what an administrator then registers. */
async function applicationSeen(
  client: RealClient,
  signsIn: SignInCommand,
  options: Options,
): Promise<{ redirectUri: string; port: number } | undefined> {
  const home = join(options.home, 'first');
  await using set = await setting(client, { ...options, home, application: { redirectUri: 'http://127.0.0.1/none' } });
  await set.signedOut();
  await addAddress(client, signsIn, set);
  let redirectUri: string | undefined;
  const hears = hearingAddress((address) => {
    redirectUri = new URL(address).searchParams.get('redirect_uri') ?? undefined;
  });
  await set.computer.run(signsIn.command, SESSION_MS, (text) => {
    hears(text);
    return redirectUri === undefined ? undefined : 'enough';
  });
  return redirectUri === undefined ? undefined : { redirectUri, port: Number(new URL(set.workspace.host).port) };
}

type Setting = Awaited<ReturnType<typeof setting>>;

/** A session with a model, or the client's own commands for a call. */
async function converse(client: RealClient, { computer }: Setting, callTakesMs = 0): Promise<string> {
  const { where } = computer;
  if (!client.calls) return computer.run(client.session(where), SESSION_MS + callTakesMs);
  const listed = await computer.run(client.session(where), SESSION_MS);
  const called = await computer.run(client.calls.call(where), SESSION_MS + callTakesMs);
  const statement = /"statement_id": "([^"]+)"/.exec(called)?.[1];
  if (statement === undefined) return listed + called;
  return listed + called + (await computer.run(client.calls.poll(where, statement), SESSION_MS));
}
