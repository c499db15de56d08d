import { type CausewayApi, events, requests } from './contract.ts';

/** How messages travel: Electron's IPC in the application, anything else in a browser. */
export interface Transport {
  invoke(channel: string, input: unknown): Promise<unknown>;
  subscribe(channel: string, listener: (payload: unknown) => void): () => void;
}

/** The IPC channel of one request or event. */
export function channelOf(name: string): string {
  return `causeway:${name}`;
}

/** Builds `window.causeway` from the contract: one function for each request and each event, and no other way across. */
export function createApi(transport: Transport): CausewayApi {
  const request = Object.keys(requests).map((name) => [
    name,
    (input?: unknown) => transport.invoke(channelOf(name), input),
  ]);
  const on = Object.keys(events).map((name) => [
    name,
    (listener: (payload: unknown) => void) => transport.subscribe(channelOf(name), listener),
  ]);
  // Built by name from the same table that the type is made of; a test walks every entry.
  return { request: Object.fromEntries(request), on: Object.fromEntries(on) };
}
