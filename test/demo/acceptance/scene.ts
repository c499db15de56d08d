import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { z } from 'zod';
import { listen, stop } from '../../workspace/listen.ts';
import { type Exchange, withoutSecrets } from '../../workspace/wire.ts';
import { type EmbeddedWorkspace, startWorkspace, type WorkspaceOptions } from '../../workspace/workspace.ts';
import { commandLine, type Done, lastRanOn, runCommand } from '../command-run.ts';
import { environmentIn } from '../stage.ts';
import { holds, same } from './requirement.ts';
import { type Frame, Session } from './session.ts';

export const OVERRIDES = '/api/warehouses/v1/default-warehouse-overrides';
export const SQL = '/api/2.0/mcp/sql';

/** One thing that was done, and what the workspace saw of it. */
export interface Step {
  did: string;
  /** What came of it: output, or the frame that answered. */
  came: string;
  /** The exit code of a command. */
  code?: number | null;
  wire: readonly Exchange[];
}

export interface Program {
  /** The command and what comes before its arguments. */
  command: string[];
  /** Opens the window on that home folder; undefined where there is none on this computer. */
  openWindow: ((env: Record<string, string>) => Promise<{ page: Page; close(): Promise<void> }>) | undefined;
}

/** An OAuth application that an account admin has registered for users of this workspace. */
export const APPLICATION = { clientId: 'acceptance', redirectUris: ['http://localhost'] };

const COMMAND_TIMEOUT_MS = 90_000;
/** How long a warehouse takes to start here, in milliseconds. */
const STARTUP_MS = 100;
const POLL_MS = 50;

const Statement = z.object({
  statement_id: z.string(),
  status: z.object({ state: z.string(), error: z.object({ message: z.string() }).optional() }),
});
const Tools = z.object({ tools: z.array(z.object({ name: z.string() })) });
type Statement = z.infer<typeof Statement>;

/** One requirement's own workspace and home folder, and what is done there by commands, by AI clients and in the window. */
export class Scene {
  readonly steps: Step[] = [];
  /** The exchanges that the verdict rests on. */
  readonly lookedAt = new Set<Exchange>();
  readonly workspace: EmbeddedWorkspace;
  readonly home: string;
  readonly env: Record<string, string>;
  readonly #program: Program;
  readonly #ends: (() => Promise<unknown>)[] = [];
  #shownUntil = 0;

  private constructor(workspace: EmbeddedWorkspace, home: string, program: Program) {
    this.workspace = workspace;
    this.home = home;
    this.env = environmentIn(home);
    this.#program = program;
  }

  static async open(program: Program, options: WorkspaceOptions = {}): Promise<Scene> {
    const home = await mkdtemp(join(tmpdir(), 'causeway-acceptance-'));
    const state = { startupMs: STARTUP_MS, ...options.state };
    const workspace = await startWorkspace({ ...options, home, state, keepsWire: true });
    const scene = new Scene(workspace, home, program);
    scene.#ends.push(
      () => rm(home, { recursive: true, force: true }),
      () => workspace.close(),
    );
    return scene;
  }

  async close(): Promise<void> {
    for (const end of this.#ends.splice(0).reverse()) await end();
  }

  /** Runs the command to its end, whatever its exit code. */
  async run(...args: string[]): Promise<Done> {
    return this.#runWith(args);
  }

  /** Runs the command, which has to succeed. @returns what it printed to stdout */
  async ok(...args: string[]): Promise<string> {
    const done = await this.run(...args);
    if (done.code !== 0) throw new Error(`${commandLine(args)} ended with ${done.code}: ${done.said.trim()}`);
    return done.out;
  }

  /** Runs the command, which has to fail and say why. */
  async refused(why: RegExp, ...args: string[]): Promise<void> {
    const { code, said } = await this.run(...args);
    holds(
      code !== 0 && why.test(said),
      `${commandLine(args)} ended with ${code} and said: ${said.trim() || 'nothing'}`,
    );
  }

  /** Runs a command that signs in, with a user who clicks Allow. */
  async signIn(userName: string, ...args: string[]): Promise<Done> {
    const done = await this.#runWith([...args, '--no-browser'], userName);
    same('The exit code of the sign-in', done.code, 0);
    return done;
  }

  /** Signs in to a profile of its own with an OAuth application that asks for that scope alone. */
  async signInWithScope(userName: string, profile: string, scope: string): Promise<void> {
    const { host } = this.workspace;
    const port = String(await freePort());
    const application = ['--client-id', APPLICATION.clientId, '--callback-port', port, '--scopes', scope];
    await this.signIn(userName, 'login', '--host', host, '--profile', profile, ...application);
  }

  /** An AI client's session with a server through `causeway proxy`. */
  async connect(profile: string, path = SQL, ...more: string[]): Promise<Session> {
    return this.start('--profile', profile, '--path', path, ...more);
  }

  async start(...args: string[]): Promise<Session> {
    const session = this.spawn(...args);
    await this.ask(session, 'open', 'initialize', {
      protocolVersion: '2024-11-05',
      capabilities: {},
      clientInfo: { name: 'acceptance', version: '1.0.0' },
    });
    session.send({ method: 'notifications/initialized' });
    return session;
  }

  /** Starts `causeway proxy` and sends nothing yet. */
  spawn(...args: string[]): Session {
    const session = new Session([...this.#program.command, 'proxy', ...args], this.env);
    this.#ends.push(() => session.close());
    this.note(`${this.#short(commandLine(['proxy', ...args]))} (started, as an AI client does)`, '');
    return session;
  }

  /** Sends a request to a proxy. @returns its answer, an error included */
  async ask(session: Session, id: string | number, method: string, params: object): Promise<Frame> {
    const frame = await session.request(id, method, params);
    this.note(`client → proxy: ${JSON.stringify({ id, method, params })}`, `proxy → client: ${JSON.stringify(frame)}`);
    return frame;
  }

  async tools(session: Session): Promise<string[]> {
    const { result } = await this.ask(session, 'tools', 'tools/list', {});
    return Tools.parse(result).tools.map(({ name }) => name);
  }

  /** Runs SQL through the tools of the SQL server, to its end. */
  async query(session: Session, query = 'SELECT 1'): Promise<Statement> {
    let statement = await this.#call(session, 'execute_sql', { query });
    while (['PENDING', 'RUNNING'].includes(statement.status.state)) {
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      statement = await this.#call(session, 'poll_sql_result', { statement_id: statement.statement_id });
    }
    this.note(`The statement ended as ${statement.status.state}`, `It ran on ${this.lastRanOn()}.`);
    return statement;
  }

  /** Runs SQL, which has to run on the warehouse of that name. */
  async runsOn(session: Session, warehouse: string): Promise<void> {
    const { status } = await this.query(session);
    same('The end of the query', status.state, 'SUCCEEDED');
    same('The query ran on', this.lastRanOn(), warehouse);
    this.look({ path: SQL });
  }

  /** The name of the warehouse that the last query was sent to. */
  lastRanOn(): string {
    return lastRanOn(this.workspace);
  }

  /** Names of the warehouses that run, as the command lists them. */
  async running(): Promise<string[]> {
    const list = z.object({ warehouses: z.array(z.object({ name: z.string(), state: z.string() })) });
    const printed: unknown = JSON.parse(await this.ok('warehouse', 'list', '--json'));
    const { warehouses } = list.parse(Array.isArray(printed) ? { warehouses: printed } : printed);
    return warehouses.filter(({ state }) => state.toUpperCase() === 'RUNNING').map(({ name }) => name);
  }

  /** The requests of that kind that the workspace saw. They become evidence. */
  look({ method, path }: { method?: string; path: string }): Exchange[] {
    const found = this.workspace.wire.filter(
      ({ logged }) =>
        (logged.path === path || logged.path.startsWith(`${path}/`)) &&
        (method === undefined || logged.method === method),
    );
    for (const exchange of found) this.lookedAt.add(exchange);
    return found;
  }

  /** Those of them that the workspace did as asked. */
  lookAtDone(filter: { method?: string; path: string }): Exchange[] {
    return this.look(filter).filter(({ logged }) => logged.status === 200);
  }

  /** The only request of that kind. @throws if there is none, or another */
  one(filter: { method?: string; path: string }): Exchange {
    const found = this.look(filter);
    const [exchange] = found;
    holds(exchange && found.length === 1, `${found.length} requests ${filter.method ?? ''} ${filter.path}, and not 1.`);
    return exchange;
  }

  idOf(userName: string): string {
    const user = this.workspace.state.users.find((one) => one.userName.startsWith(userName));
    return user?.id ?? 'nobody';
  }

  warehouse(name: string): string {
    return this.workspace.state.warehouses.find((one) => one.name === name)?.id ?? 'none';
  }

  /** The override that the workspace keeps for a user. */
  stored(userName: string): { type: string; warehouse: string | undefined } | undefined {
    const override = this.workspace.state.overrides.get(this.idOf(userName));
    return override && { type: override.type, warehouse: override.warehouseId };
  }

  readHome(...path: string[]): Promise<string> {
    return readFile(join(this.home, ...path), 'utf8');
  }

  async writeHome(text: string, ...path: string[]): Promise<void> {
    await writeFile(join(this.home, ...path), text, { mode: 0o600 });
  }

  async window(): Promise<Page> {
    holds(this.#program.openWindow, 'There is no window on this computer.');
    const { page, close } = await this.#program.openWindow(this.env);
    this.#ends.push(close);
    this.note('The window opens', '');
    return page;
  }

  /** Records something that was done or seen, with what the workspace saw since the record before. */
  note(did: string, came: string, code?: number | null): void {
    const wire = this.workspace.wire.slice(this.#shownUntil);
    this.#shownUntil = this.workspace.wire.length;
    this.steps.push({
      did: withoutSecrets(this.#short(did)),
      came: withoutSecrets(this.#short(came)),
      wire,
      ...(code !== undefined && { code }),
    });
  }

  /** Records what the workspace saw since the last record. */
  noteRest(): void {
    if (this.workspace.wire.length > this.#shownUntil) this.note('After that', '');
  }

  async #call(session: Session, name: string, args: object): Promise<Statement> {
    const { result, error } = await this.ask(session, `sql-${this.steps.length}`, 'tools/call', {
      name,
      arguments: args,
    });
    const parsed = Statement.safeParse(result?.structuredContent);
    holds(parsed.success, `${name} was not run: ${JSON.stringify(error ?? result)}`);
    return parsed.data;
  }

  async #runWith(args: string[], signsIn?: string): Promise<Done> {
    const signal = AbortSignal.timeout(COMMAND_TIMEOUT_MS);
    const done = await runCommand({ command: this.#program.command, args, env: this.env, signal, signsIn });
    this.note(commandLine(args), done.said.trimEnd(), done.code);
    return done;
  }

  #short(text: string): string {
    return text.replaceAll(this.home, '~');
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listen(server, 0);
  await stop(server);
  return port;
}
