/**
 * Something in a policy that does not do what it says. An error is a mistake, or locks everybody out; a warning may be meant, or
 * concern another computer; a note tells what could not be checked here.
 */
export interface PolicyIssue {
  severity: 'error' | 'warning' | 'note';
  /** The member of the policy that it is about, with dots, such as `clients.value.0`. */
  at: string;
  /** What is wrong, as a sentence. */
  message: string;
  /** Names that it is close to, if it is a mistake. */
  suggestions: string[];
}

export function issue(
  severity: PolicyIssue['severity'],
  at: string,
  message: string,
  suggestions: string[] = [],
): PolicyIssue {
  return { severity, at, message, suggestions };
}
