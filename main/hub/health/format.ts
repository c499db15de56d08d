import { type ErrorCode, endsByProfile, endsBySignIn } from '../../../preload/contract/error-facts.ts';
import { formatRefusal } from '../../../preload/contract/refusals.ts';
import type { ConfiguredServer } from '../../../preload/contract/servers.ts';
import { type CausewayError, sentences } from '../../platform/errors.ts';
import type { NextAction } from '../../platform/next-action.ts';
import { remedyFor } from '../../words/failure.ts';
import type { ServerHealth, Trouble } from './health.ts';

type ShownState = ConfiguredServer['state'];

/** What a button beside a server's state does. */
export type HealthAction = NonNullable<ShownState['action']>;

/** A server's state as text: the tray, the window and the command line show the same. The remedy is text for a command. */
export interface FormattedHealth extends Pick<ShownState, 'label' | 'remedy' | 'action'> {
  /** The state, in one or two sentences. */
  sentence: string;
}

/** Which profile the server uses, and the time that delays count from. */
export interface HealthFormat {
  profile: string;
  /** Whether the profile holds credentials of its own, so that there is nothing to sign in to. */
  hasCredentials?: boolean;
  /** Milliseconds since 1970. */
  now: number;
}

const LABELS: Record<Trouble, string> = {
  'signed-out': 'Signed out',
  'service-signed-out': 'Signed out of the service',
  forbidden: 'No access',
  'not-found': 'Not found',
  'blocked-by-ip-list': 'IP blocked',
  'login-page': 'Network sign-in',
  unreachable: 'Unreachable',
  failing: 'Not working',
};

/** Troubles after which Causeway tries again on its own; in the others the user has to act. */
const TRIES_AGAIN: ReadonlySet<string> = new Set<Trouble>(['login-page', 'unreachable', 'failing']);

/** A server's state as text. */
export function formatHealth(health: ServerHealth, format: HealthFormat): FormattedHealth {
  const { profile } = format;
  switch (health.name) {
    case 'connecting':
      return {
        label: 'Connecting',
        sentence: 'Causeway is asking the server for its tools.',
        remedy: null,
        action: null,
      };
    case 'ready':
      return {
        label: `Running, ${count(health.tools, 'tool')}`,
        sentence: `The server is running with ${count(health.tools, 'tool')}.`,
        remedy: null,
        action: null,
      };
    case 'no-grants':
      return {
        label: 'No tools',
        sentence: `The server is running, but offers the user of profile "${profile}" no tools.`,
        remedy: 'Ask its owner for access to the catalog, schema, function, index or Genie space behind it.',
        action: 'check-again',
      };
    case 'waiting-for-browser':
      return {
        label: 'Waiting for the browser',
        sentence: 'A page in your browser asks you to sign in.',
        remedy: 'Finish signing in there.',
        action: null,
      };
    default:
      return inTrouble(health, format);
  }
}

function inTrouble(
  health: Extract<ServerHealth, { name: Trouble }>,
  { hasCredentials = false, now }: HealthFormat,
): FormattedHealth {
  const { code, message, action } = health.problem;
  return {
    label: labelOf(health.name, health.problem),
    sentence: sentences(message, again(health, now)),
    remedy: remedyFor('command', health.problem) ?? null,
    action: (action && BUTTONS[action.do]) ?? buttonFor(code, hasCredentials),
  };
}

/** What the user can do, or who refuses, says more than the state does: an app that only its user can bring back is not merely failing. */
function labelOf(name: Trouble, { action, refusal }: CausewayError): string {
  if (refusal) return formatRefusal(refusal);
  if (action?.do === 'sign-in-to-service') return `Signed out of ${action.title}`;
  if (action?.do === 'confirm-app') return 'Address not confirmed';
  return action?.do === 'start-app' ? 'Stopped' : LABELS[name];
}

/** The button for each next action. */
const BUTTONS: Partial<Record<NextAction['do'], HealthAction>> = {
  'sign-in': 'sign-in',
  'sign-in-to-service': 'sign-in-to-service',
  'check-sign-in': 'sign-in',
  'grant-scope': 'sign-in',
  'check-credentials': 'accounts',
  'open-service-page': 'open-page',
  'confirm-app': 'confirm-app',
  'start-app': 'start-app',
};

/** The button for an error without a next action. */
function buttonFor(code: ErrorCode, hasCredentials: boolean): HealthAction {
  if (endsBySignIn(code)) return hasCredentials ? 'accounts' : 'sign-in';
  return endsByProfile(code) ? 'accounts' : 'check-again';
}

function again({ name, until }: { name: Trouble; until: number }, now: number): string {
  return TRIES_AGAIN.has(name) ? `Causeway tries again ${formatDelay(until - now)}.` : '';
}

/** A delay as text, such as "in 5 minutes". */
function formatDelay(delayMs: number): string {
  const seconds = Math.round(delayMs / 1000);
  if (seconds <= 1) return 'now';
  return seconds < 90 ? `in ${seconds} seconds` : `in ${Math.round(seconds / 60)} minutes`;
}

function count(number: number, noun: string): string {
  return number === 1 ? `1 ${noun}` : `${number} ${noun}s`;
}
