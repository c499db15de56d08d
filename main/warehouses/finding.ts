/** What a check found, before it is given its name and time. */
export interface Finding {
  /** `not-applicable` where there is nothing to check, which is no failure and no doubt. */
  verdict: 'pass' | 'fail' | 'unknown' | 'not-applicable';
  /** What was seen, as sentences for people. */
  evidence: string;
}
