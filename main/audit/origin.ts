import { randomUUID } from 'node:crypto';
import { hostname, userInfo } from 'node:os';

/** Which of Causeway's programs writes a record. */
export type Program = 'application' | 'command' | 'proxy';

/** What is the same for all records of a process. */
export interface Origin {
  /**
   * A random UUID of this process (OpenTelemetry › Semantic conventions › Service). The application and proxies that work alone run
   * at the same time: with one id for a computer, several would write one series.
   */
  instance: string;
  /** The computer's name. */
  host: string;
  /** The account on the computer; null if it has no name. */
  osUser: string | null;
  program: Program;
}

const INSTANCE = randomUUID();

/** The origin of this process's records. */
export function originOf(program: Program): Origin {
  return { instance: INSTANCE, host: hostname(), osUser: accountName(), program };
}

function accountName(): string | null {
  try {
    return userInfo().username;
  } catch {
    // An account without an entry in the system's list, as in some containers.
    return null;
  }
}
