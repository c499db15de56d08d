/** What a check found, before it is given its name and time. */
export interface Finding {
  verdict: 'pass' | 'fail' | 'unknown';
  /** What was seen, as sentences for people. */
  evidence: string;
}
