import { vi } from 'vitest';
import type { AnswerStore } from '../../../main/bridge/answer-store.ts';
import { readFrame } from '../../../main/bridge/frame/frame.ts';
import { ProgressReports } from '../../../main/bridge/progress.ts';
import { ToolGuard } from '../../../main/bridge/tool-guard.ts';
import { decide, isUnrestricted } from '../../../main/permissions/decide.ts';
import type { Permissions } from '../../../main/permissions/permissions.ts';
import { NO_POLICY } from '../../../main/permissions/policy/policy.ts';
import type { ServerPermissions } from '../../../main/permissions/server-permissions.ts';
import { CausewayError } from '../../../main/platform/errors.ts';
import { CollectingSink } from '../../integration/bridge/harness.ts';

type AskApproval = NonNullable<ConstructorParameters<typeof ToolGuard>[0]['askApproval']>;

const SERVER = 'https://acme.example/api/2.0/mcp/genie/1';
export const LIST = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}';
export const CHANGED = '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}';
export const tool = (name: string, annotations?: object) => ({
  name,
  inputSchema: {},
  ...(annotations && { annotations }),
});
export const listing = (id: unknown, ...tools: object[]) => JSON.stringify({ jsonrpc: '2.0', id, result: { tools } });
export const calling = (id: unknown, name: string, more: object = {}) =>
  JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, ...more } });
export const initializing = (id: unknown, clientInfo?: object) =>
  JSON.stringify({ jsonrpc: '2.0', id, method: 'initialize', params: clientInfo ? { clientInfo } : {} });

interface Options {
  askApproval?: AskApproval;
  remembered?: string;
  /** Permissions besides those of the server. */
  more?: Partial<Permissions>;
}

/** A guard over permissions in memory, what its client reads, and what continues to the server. */
export function guardOf(
  ofServer: NonNullable<Permissions['servers']>[string],
  { askApproval, remembered, more = {} }: Options = {},
) {
  let now: Permissions | CausewayError = {
    version: 1,
    clients: { codex: CODEX },
    servers: { [SERVER]: ofServer },
    ...more,
  };
  let reading: Promise<void> | undefined;
  const listeners = new Set<() => void>();
  const permissions: ServerPermissions = {
    refresh: () => reading,
    get isEmpty() {
      return !(now instanceof CausewayError) && isUnrestricted(now, SERVER);
    },
    decide: (name, client, hints) =>
      decide({ own: now, policy: NO_POLICY }, { server: SERVER, tool: name, client, hints }),
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
  const get = vi.fn(async () => (remembered === undefined ? undefined : Buffer.from(remembered)));
  const memory: AnswerStore = { get, put: async () => {} };
  const sink = new CollectingSink();
  const abort = new AbortController();
  const guard = new ToolGuard({
    permissions,
    memory,
    sink,
    askApproval,
    progress: new ProgressReports(sink),
    signal: abort.signal,
    owner: () => ({ key: '', userName: undefined, notAllowed: () => new CausewayError('user_changed', '') }),
  });
  const sent: string[] = [];
  const passed: Buffer[] = [];
  const concerns = (text: string) => {
    const { envelope, json } = readFrame(Buffer.from(text));
    if (envelope.kind === 'invalid') throw new Error(envelope.message);
    return guard.concerns(Buffer.from(text), envelope, json);
  };
  return {
    abort,
    concerns,
    get,
    listeners,
    sent,
    /** Takes a frame of the client's as the bridge does. */
    async take(text: string): Promise<void> {
      const { envelope } = readFrame(Buffer.from(text));
      if (envelope.kind === 'invalid') throw new Error(envelope.message);
      if (!concerns(text)) sent.push(text);
      else {
        await guard.pass(Buffer.from(text), envelope, async (frame) => {
          sent.push(String(frame));
          passed.push(frame);
        });
      }
    },
    /** The frames that were sent by way of the guard. */
    passed,
    /** Why a frame that has waited may not be sent now. */
    afterWait: (frame: string | Buffer) => guard.refusalAfterWait(Buffer.isBuffer(frame) ? frame : Buffer.from(frame)),
    shown: (text: string) => String(guard.filtered(Buffer.from(text))),
    /** A list of Causeway's own tool, as the client reads it. */
    shownOwn: (text: string) => String(guard.ownTools(Buffer.from(text))),
    read: () => sink.frames.splice(0).map(String),
    /** The permissions become others; `tells` the guard so. */
    become(next: NonNullable<Permissions['servers']>[string] | CausewayError, tells = true) {
      now =
        next instanceof CausewayError ? next : { version: 1, clients: { codex: CODEX }, servers: { [SERVER]: next } };
      if (tells) for (const listener of listeners) listener();
    },
    isReading(work: Promise<void> | undefined) {
      reading = work;
    },
    /** The permissions are being read until the function that it gives is called. */
    startReading(): () => void {
      let done = () => {};
      reading = new Promise((resolve) => {
        done = resolve;
      });
      return done;
    },
  };
}

const CODEX = { name: 'Codex', wireNames: ['codex-mcp-client'] };
export const textIn = (frame = '{}') => JSON.parse(frame).result?.content?.[0]?.text;
export const names = (frame: string) => JSON.parse(frame).result.tools.map((each: { name: string }) => each.name);
