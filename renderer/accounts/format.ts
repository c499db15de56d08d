import { SIGN_IN_METHODS } from '../../preload/contract/words/sign-in.ts';
import type { Account } from '../../preload/contract.ts';
import { strings } from './strings.ts';

/** How a profile signs in. Where the Databricks CLI does not do it, the browser does. */
export function formatMethod({ method, state }: Account): string {
  if (method === null) return strings.noMethod;
  const byBrowser = method === 'databricks-cli' && state.status !== 'by-databricks-cli';
  return SIGN_IN_METHODS[byBrowser ? 'oauth-user' : method].window;
}

/** Whether a user is signed in. `signingIn` says that a sign-in is in progress. */
export function formatStatus({ method, state }: Account, signingIn: boolean): string {
  if (signingIn) return strings.states['signing-in'];
  const isElsewhere = state.status === 'by-credentials' && method === 'azure-cli';
  return strings.states[isElsewhere ? 'by-databricks-cli' : state.status];
}

/** How long a sign-in lasts; empty if there is nothing to say. `now` in milliseconds since the epoch. */
export function formatExpiry({ state }: Account, now: number): string {
  if (state.status !== 'signed-in') return '';
  if (state.renewable) return strings.expiry.renews;
  if (state.expiresAt === null) return '';
  const moment = new Date(state.expiresAt).toLocaleString();
  return state.expiresAt <= now ? strings.expiry.ended(moment) : strings.expiry.until(moment);
}

/** What can be done about an account's sign-in. */
export function signInOffer({ method, state }: Account): 'sign-in' | 'sign-out' | null {
  if (state.status === 'signed-in') return 'sign-out';
  if (state.status === 'unusable') return null;
  return method === 'oauth-user' || method === 'databricks-cli' ? 'sign-in' : null;
}

/** A short name for a workspace by its address, one that is not taken. */
export function suggestedName(host: string, existingNames: readonly string[]): string {
  const name = host
    .trim()
    .toLowerCase()
    .replace(/^[a-z]+:\/\//, '')
    .replace(/[^a-z0-9-].*$/, '');
  if (name === '') return '';
  let free = name;
  for (let count = 2; existingNames.includes(free); count += 1) free = `${name}-${count}`;
  return free;
}

/** Whether a user signs in to the profile; false if it holds credentials. */
export function signsInByBrowser({ method, state }: Account): boolean {
  return state.status !== 'unusable' && (method === 'oauth-user' || method === 'databricks-cli');
}

/** The port that was typed: null if none was, undefined if it is none. */
export function portIn(text: string): number | null | undefined {
  if (text.trim() === '') return null;
  const port = Number(text);
  return Number.isInteger(port) && port > 0 && port < 65_536 ? port : undefined;
}

/** The scopes that were typed; null if none were. */
export function scopesIn(text: string): string[] | null {
  const scopes = text.split(/[\s,]+/).filter(Boolean);
  return scopes.length > 0 ? scopes : null;
}
