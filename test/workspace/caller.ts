import * as z from 'zod';
import type { EmbeddedWorkspace } from './workspace.ts';

/** A plain HTTP caller for this folder's tests: it shares nothing with the clients that the tests are there for. */

const json = z.record(z.string(), z.unknown());

interface Answer {
  status: number;
  headers: Headers;
  text: string;
  /** The body as an object; empty if it is none. */
  body: Record<string, unknown>;
}

export type Caller = (method: string, path: string, body?: unknown) => Promise<Answer>;

/** Calls the workspace with a token; with none, it sends none. */
export function callerWith({ host }: { host: string }, token: string | undefined): Caller {
  return async (method, path, body) => {
    const response = await fetch(host + path, {
      method,
      redirect: 'manual',
      headers: {
        accept: 'application/json, text/event-stream',
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: objectIn(text) };
  };
}

/** Calls as a user of the workspace, named by the first part of the user name. */
export function callerAs(workspace: EmbeddedWorkspace, name: string): Caller {
  return callerWith(workspace, userNamed(workspace, name).token);
}

export function userNamed(workspace: EmbeddedWorkspace, name: string): EmbeddedWorkspace['users'][number] {
  const user = workspace.users.find(({ userName }) => userName.startsWith(`${name}@`));
  if (!user) throw new Error(`There is no ${name} in this workspace.`);
  return user;
}

function objectIn(text: string): Record<string, unknown> {
  if (!text.startsWith('{')) return {};
  return json.parse(JSON.parse(text));
}
