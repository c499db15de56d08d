import type { HubCall } from '../hub/session-record.ts';
import { auditTargets } from '../permissions/policy/audit-choice.ts';
import type { AuditTargets } from '../permissions/policy/policy.ts';
import { inOneLine } from '../words/failure.ts';
import { appendToAudit } from './audit-file.ts';
import { type AuditedCall, auditedCall } from './audited-call.ts';
import type { OtlpAudit } from './otlp.ts';

/** How many calls may wait to be written; more are dropped, and that is said. */
const MAX_WAITING = 10_000;

/** Gives the calls of a process to where they are audited, as that is chosen when they end. */
export class Audit {
  readonly #env: NodeJS.ProcessEnv;
  readonly #complain: (words: string) => void;
  #waiting: AuditedCall[] = [];
  #writing: Promise<void> | undefined;
  #otlp: { address: string; audit: OtlpAudit } | undefined;
  #lastComplaint: string | undefined;

  constructor(env: NodeJS.ProcessEnv, complain: (words: string) => void) {
    this.#env = env;
    this.#complain = complain;
  }

  /** Takes a call that has ended. Never throws, and does not wait. */
  add(call: Omit<HubCall, 'id'>): void {
    const audited = auditedCall(call);
    if (!audited) return;
    if (this.#waiting.length < MAX_WAITING) this.#waiting.push(audited);
    else this.#complainOnce('Calls come faster than they can be audited.');
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined;
    });
  }

  /** Writes and sends what waits. Never rejects. */
  async close(): Promise<void> {
    await this.#writing;
    await this.#otlp?.audit.close();
    this.#otlp = undefined;
  }

  async #write(): Promise<void> {
    while (this.#waiting.length > 0) {
      const calls = this.#waiting;
      this.#waiting = [];
      try {
        const targets = await auditTargets(this.#env);
        if (targets?.file) await appendToAudit(this.#env, calls);
        await this.#send(targets, calls);
        if (targets?.otlp === undefined) this.#lastComplaint = undefined;
      } catch (error) {
        this.#complainOnce(`Calls could not be audited. ${inOneLine(error)}`);
      }
    }
  }

  async #send(targets: AuditTargets | undefined, calls: readonly AuditedCall[]): Promise<void> {
    const address = targets?.otlp;
    if (this.#otlp && this.#otlp.address !== address) {
      const { audit } = this.#otlp;
      this.#otlp = undefined;
      await audit.close();
    }
    if (address === undefined) return;
    const { openOtlp } = await import('./otlp.ts');
    this.#otlp ??= { address, audit: openOtlp(address, (failure) => this.#hear(address, failure)) };
    for (const call of calls) this.#otlp.audit.add(call);
  }

  #hear(address: string, failure: string | undefined): void {
    if (failure === undefined) this.#lastComplaint = undefined;
    // Without what may be a password in the address.
    else this.#complainOnce(`Calls could not be sent to the collector at ${new URL(address).host}: ${failure}.`);
  }

  #complainOnce(words: string): void {
    if (this.#lastComplaint === words) return;
    this.#lastComplaint = words;
    this.#complain(words);
  }
}
