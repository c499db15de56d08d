import { fiveTiers, type Heuristic } from './warehouse-choice.ts';

export type AnswerForm = 'json' | 'sse';

/** How the managed servers behave. Tests may change them while the servers run; the next request sees the change. */
export interface ManagedServerSettings {
  /** `none`: no session id is ever issued, each request stands alone, as the real servers may do. */
  sessions: 'demanded' | 'none';
  /** The form of an answer, for all requests or by JSON-RPC method. */
  answers: AnswerForm | ((method: string) => AnswerForm);
  /** Whether GET opens a listening stream and DELETE ends a session. The real servers know neither. */
  listening: 'absent' | 'supported';
  /** `modern` speaks protocol revision 2026-07-28 alone, which has no sessions; `legacy` the 2025 revisions. */
  era: 'legacy' | 'modern';
  /** Numbers the events of event streams; with `listening` supported, a broken stream can then be taken up again. */
  eventIds: boolean;
  /** The last rule of the choice of a warehouse. */
  heuristic: Heuristic;
  /** How long a call waits for its query before it answers that the query is still running. */
  waitMillis: number;
  /** An old fault of the real servers: answers to requests with an id that is not a number carried the id 0. */
  textIdsBecomeZero: boolean;
}

export const DEFAULT_SETTINGS: ManagedServerSettings = {
  sessions: 'demanded',
  // Both forms are seen by whoever changes nothing.
  answers: (method) => (method === 'tools/call' ? 'sse' : 'json'),
  listening: 'absent',
  era: 'legacy',
  eventIds: false,
  heuristic: fiveTiers,
  waitMillis: 1000,
  textIdsBecomeZero: false,
};

export function answerForm({ answers }: ManagedServerSettings, method: string): AnswerForm {
  return typeof answers === 'function' ? answers(method) : answers;
}
