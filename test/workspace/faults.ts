import * as z from 'zod';
import { pathPattern } from './request-log.ts';

/** Which requests go wrong, and how: rules that the tests add, each for a path, a method and a number of times. */

/** What happens to a request. All but the last six keep it from being handled at all. */
const effect = z.discriminatedUnion('kind', [
  /** 401, as for a token that has expired or was withdrawn. */
  z.strictObject({ kind: z.literal('refuse-token') }),
  /** 403 with the body of the workspace's IP access list. */
  z.strictObject({ kind: z.literal('block-ip') }),
  /** 403 for a token without the scope that is named. */
  z.strictObject({ kind: z.literal('missing-scope'), scope: z.string() }),
  /** 429; `retryAfter` goes out as it is: seconds, or a date. */
  z.strictObject({ kind: z.literal('rate-limit'), retryAfter: z.string().optional() }),
  /** 503, with `retryAfter` as above. */
  z.strictObject({ kind: z.literal('unavailable'), retryAfter: z.string().optional() }),
  /** A gateway's error page, 502 if not said otherwise. */
  z.strictObject({ kind: z.literal('html'), status: z.int().optional() }),
  /** 302 to the workspace's own login page, or to `location`. */
  z.strictObject({ kind: z.literal('redirect'), location: z.string().optional(), status: z.int().optional() }),
  /** A page of a list with nothing in it and the mark of a next one: never the same, or always `token`. */
  z.strictObject({ kind: z.literal('next-page'), token: z.string().optional() }),
  /** Any other answer. */
  z.strictObject({
    kind: z.literal('answer'),
    status: z.int(),
    headers: z.record(z.string(), z.string()).optional(),
    body: z.string().optional(),
  }),
  /**
   * The connection is dropped: `unhandled`, before anything was done; `before-headers`, when it was done but not a byte
   * of the answer has left; `after-headers`, when its head has.
   */
  z.strictObject({ kind: z.literal('drop'), when: z.enum(['unhandled', 'before-headers', 'after-headers']) }),
  /** The request is handled at once, and its answer begins this many milliseconds later. */
  z.strictObject({ kind: z.literal('delay'), milliseconds: z.number() }),
  /** The answer stops for this many milliseconds after so many bytes of its body (0: right after its head). */
  z.strictObject({ kind: z.literal('stall'), milliseconds: z.number(), afterBytes: z.int().optional() }),
  /** The connection ends after so many bytes of the body. */
  z.strictObject({ kind: z.literal('cut'), afterBytes: z.int() }),
  /** Each byte of the body leaves alone. */
  z.strictObject({ kind: z.literal('trickle') }),
  /** The true answer, blown up by this many bytes of white space behind its first brace: it still parses. */
  z.strictObject({ kind: z.literal('pad'), bytes: z.int() }),
]);

const faultRule = z.strictObject({
  effect,
  /** A path in which `*` stands for anything; every path if left out. */
  path: z.string().optional(),
  /** An HTTP method; every one if left out. */
  method: z.string().optional(),
  /** How many requests it hits; 1 if left out, `always` until it is removed. */
  times: z.union([z.int().positive(), z.literal('always')]).optional(),
  /** How many matching requests pass unharmed first. */
  skip: z.int().nonnegative().optional(),
});

export type Effect = z.infer<typeof effect>;
export type FaultRule = z.infer<typeof faultRule>;

/** A rule that was added. */
export interface Fault {
  id: number;
  rule: FaultRule;
  /** How many requests it has hit. */
  hits: number;
}

export class FaultRules {
  #faults: { fault: Fault; pattern: RegExp; skip: number }[] = [];
  #lastId = 0;

  /** The first rule that fits decides a request; the returned object counts its hits. */
  add(rule: FaultRule): Fault {
    const fault = { id: ++this.#lastId, rule: faultRule.parse(rule), hits: 0 };
    this.#faults.push({ fault, pattern: pathPattern(rule.path ?? '*'), skip: rule.skip ?? 0 });
    return fault;
  }

  remove(id: number): void {
    this.#faults = this.#faults.filter(({ fault }) => fault.id !== id);
  }

  clear(): void {
    this.#faults = [];
  }

  list(): Fault[] {
    return this.#faults.map(({ fault }) => fault);
  }

  /** What is to happen to this request, counted as having happened. */
  next(method: string, path: string): Effect | undefined {
    for (const entry of this.#faults) {
      const { rule } = entry.fault;
      if (!entry.pattern.test(path) || (rule.method && rule.method !== method)) continue;
      if (entry.skip > 0) {
        entry.skip -= 1;
        continue;
      }
      entry.fault.hits += 1;
      if (rule.times !== 'always' && entry.fault.hits >= (rule.times ?? 1)) this.remove(entry.fault.id);
      return rule.effect;
    }
    return undefined;
  }
}

/** @throws {z.ZodError} for what is no rule */
export function parseFaultRule(value: unknown): FaultRule {
  return faultRule.parse(value);
}
