/**
 * Is shown each request and its answer while the person has them recorded, and at no other time. The hub keeps nothing of
 * either; whoever does copies it, for the bytes are the hub's. Neither function may throw, and both must be quick.
 */
export interface ContentsRecorder {
  /** A request has come. Gives the number under which its answer is handed over, should one come. */
  asked(request: Buffer): number;
  /** The answer to the request of that number goes to the client. */
  answered(number: number, answer: Buffer): void;
}
