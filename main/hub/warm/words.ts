import { sentences } from '../../platform/sentences.ts';
import type { Problem, ServerHealth, Trouble } from './health.ts';

/** What a button beside a server's state does. */
type HealthAction = 'sign-in' | 'check-again';

/** A server's state for people: the tray, the window and the command line say the same. */
export interface HealthWords {
  /** A few words, as for a row of a list: "Running, 6 tools". */
  label: string;
  /** What is so, in one or two sentences. */
  sentence: string;
  /** What a person can do about it; null where nothing is to be done. */
  remedy: string | null;
  /** What can be done about it from here. */
  action: HealthAction | null;
}

/** Which server is spoken of, and when: times are said from now. */
export interface Spoken {
  profile: string;
  /** Milliseconds since 1970. */
  now: number;
}

const LABELS: Record<Trouble, string> = {
  'signed-out': 'Signed out',
  forbidden: 'No access',
  'not-found': 'Not found',
  'blocked-by-ip-list': 'Blocked by the IP access list',
  'login-page': 'A sign-in page is in the way',
  unreachable: 'Unreachable',
  failing: 'Not working',
};

/** What happens by itself; where a person has to act, that is what counts. */
const TRIES_AGAIN: ReadonlySet<string> = new Set<Trouble>(['login-page', 'unreachable', 'failing']);

/** A server's state in plain words. */
export function healthInWords(health: ServerHealth, { profile, now }: Spoken): HealthWords {
  switch (health.name) {
    case 'connecting':
      return {
        label: 'Connecting',
        sentence: 'Causeway is asking the server what it offers.',
        remedy: null,
        action: null,
      };
    case 'ready':
      return {
        label: `Running, ${count(health.tools, 'tool')}`,
        sentence: `The server answers and offers ${count(health.tools, 'tool')}.`,
        remedy: null,
        action: null,
      };
    case 'no-grants':
      return {
        label: 'Running, no tools',
        sentence: `The server answers, but shows the user of profile "${profile}" nothing.`,
        remedy: 'Ask for grants on the catalog, schema, function, index or Genie space that it serves.',
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
      return inTrouble(health.name, health.problem, again(health, now));
  }
}

function inTrouble(name: Trouble, { code, message, remedy }: Problem, sentence: string): HealthWords {
  return {
    label: LABELS[name],
    sentence: sentences(message, sentence),
    remedy,
    action: name === 'signed-out' || code === 'missing_scope' ? 'sign-in' : 'check-again',
  };
}

function again({ name, until }: { name: Trouble; until: number }, now: number): string {
  return TRIES_AGAIN.has(name) ? `Causeway tries again ${inWords(until - now)}.` : '';
}

/** How far away something is, as people say it. */
function inWords(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000);
  if (seconds <= 1) return 'now';
  return seconds < 90 ? `in ${seconds} seconds` : `in ${Math.round(seconds / 60)} minutes`;
}

function count(number: number, noun: string): string {
  return number === 1 ? `1 ${noun}` : `${number} ${noun}s`;
}
