import type { HubCall } from '../hub/session-record.ts';
import { auditTargets } from '../permissions/policy/audit-choice.ts';
import type { AuditTargets } from '../permissions/policy/policy.ts';
import { type NotedEvent, onNotedEvent } from '../platform/noted-events.ts';
import { configFolder } from '../platform/paths.ts';
import { inOneLine } from '../words/failure.ts';
import { appendToAudit } from './audit-file.ts';
import { auditedCall } from './audited-call.ts';
import { type AuditRecord, auditedEvent } from './audited-event.ts';
import { type Origin, originOf, type Program } from './origin.ts';
import type { Collector, OtlpAudit } from './otlp.ts';

/** How many records may wait to be written; more are dropped, and that is said. */
const MAX_WAITING = 10_000;

/** Gives the calls of a process, its sign-ins and its changes to where they are audited, as that is chosen when they end. */
export class Audit {
  readonly #env: NodeJS.ProcessEnv;
  readonly #complain: (words: string) => void;
  readonly #origin: Origin;
  #waiting: AuditRecord[] = [];
  #writing: Promise<void> | undefined;
  #otlp: { key: string; audit: OtlpAudit } | undefined;
  #lastComplaint: string | undefined;

  constructor(env: NodeJS.ProcessEnv, complain: (words: string) => void, program: Program) {
    this.#env = env;
    this.#complain = complain;
    this.#origin = originOf(program);
  }

  /** Takes a call that has ended. Never throws, and does not wait. */
  add(call: Omit<HubCall, 'id'>): void {
    const audited = auditedCall(call, this.#origin);
    if (audited) this.#take(audited);
  }

  /** Takes another event. Never throws, and does not wait. @param at when it happened, in milliseconds since 1970 */
  note(event: NotedEvent, at = Date.now()): void {
    this.#take(auditedEvent(event, this.#origin, at));
  }

  /** Takes the events of this process that happen in the audit's own home folder. @returns a function that ends it */
  listen(): () => void {
    return onNotedEvent((event, env) => {
      if (configFolder(env) === configFolder(this.#env)) this.note(event);
    });
  }

  /** Writes and sends what waits. Never rejects. */
  async close(): Promise<void> {
    await this.#writing;
    await this.#otlp?.audit.close();
    this.#otlp = undefined;
  }

  #take(record: AuditRecord): void {
    if (this.#waiting.length < MAX_WAITING) this.#waiting.push(record);
    else this.#complainOnce('Calls come faster than they can be audited.');
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined;
    });
  }

  async #write(): Promise<void> {
    while (this.#waiting.length > 0) {
      const records = this.#waiting;
      this.#waiting = [];
      try {
        const targets = await auditTargets(this.#env);
        if (targets?.file) await appendToAudit(this.#env, records);
        await this.#send(targets, records);
        if (targets?.otlp === undefined) this.#lastComplaint = undefined;
      } catch (error) {
        this.#complainOnce(`Calls could not be audited. ${inOneLine(error)}`);
      }
    }
  }

  async #send(targets: AuditTargets | undefined, records: readonly AuditRecord[]): Promise<void> {
    const collector = collectorIn(targets);
    const key = JSON.stringify(collector);
    if (this.#otlp && this.#otlp.key !== key) {
      const { audit } = this.#otlp;
      this.#otlp = undefined;
      await audit.close();
    }
    if (!collector) return;
    const { openOtlp } = await import('./otlp.ts');
    this.#otlp ??= {
      key,
      audit: await openOtlp(collector, {
        env: this.#env,
        origin: this.#origin,
        onSent: (failure) => this.#hear(collector.address, failure),
      }),
    };
    for (const record of records) this.#otlp.audit.add(record);
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

function collectorIn(targets: AuditTargets | undefined): Collector | undefined {
  if (targets?.otlp === undefined) return undefined;
  const { otlp: address, otlpHeaders: headers, otlpCertificate: certificate, otlpCompression: compression } = targets;
  return { address, headers, certificate, compression };
}
