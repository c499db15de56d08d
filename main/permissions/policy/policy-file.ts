import { asCausewayError, asSentence, CausewayError } from '../../platform/errors.ts';
import { isOutOfFiles } from '../../platform/file-errors.ts';
import { ABSENT, VersionedValue } from '../../platform/versioned-value.ts';
import { inOneLine } from '../../words/failure.ts';
import { NO_POLICY, type Policy } from './policy.ts';
import type { PolicySource } from './policy-source.ts';

/**
 * The organization's policy as it is now. It is looked at before each decision. One that cannot be used forbids all that a
 * policy can forbid; one that is not there forbids nothing.
 */
export class PolicyFile {
  readonly #source: PolicySource;
  readonly #value: VersionedValue<Policy>;

  constructor(source: PolicySource) {
    this.#source = source;
    this.#value = new VersionedValue({
      version: () => source.version(),
      absent: NO_POLICY,
      read: () => this.#read(),
    });
  }

  /** The location of a policy. */
  get place(): string {
    return this.#source.name;
  }

  /** Whether an administrator is removing Causeway: then nothing has to stay. */
  get isBeingRemoved(): boolean {
    return this.#source.isBeingRemoved?.() ?? false;
  }

  /** What was last read. Before the first reading, one that is there forbids everything. */
  get current(): Policy {
    if (this.#value.current) return this.#value.current;
    return this.#source.version() === ABSENT ? NO_POLICY : this.#closed(new Error('it was not read yet'));
  }

  /** The policy of this moment. Never rejects. */
  async now(): Promise<Policy> {
    await this.refresh();
    return this.current;
  }

  /** Looks whether the policy has changed. Resolves when it has been read; undefined if what is known still holds. */
  refresh(): Promise<void> | undefined {
    return this.#value.refresh();
  }

  async #read(): Promise<{ value: Policy; isFinal: boolean }> {
    try {
      return { value: await this.#load(), isFinal: true };
    } catch (error) {
      // With too many files open, nothing is known about the policy.
      return { value: this.#closed(error), isFinal: !isOutOfFiles(error) };
    }
  }

  async #load(): Promise<Policy> {
    const bytes = await this.#source.read();
    if (bytes === undefined) return NO_POLICY;
    // The schema library takes longer to load than the file: it is loaded only if there is a policy.
    const { parsePolicy } = await import('./parse-policy.ts');
    return parsePolicy(this.#source.name, bytes);
  }

  #closed(cause: unknown): Policy {
    const { name } = this.#source;
    const known = asCausewayError(cause);
    const why = cause instanceof CausewayError ? known.message : `${name} cannot be read: ${inOneLine(cause)}`;
    const problem = new CausewayError(
      'managed',
      `Managed by your organization, but its policy cannot be used. ${asSentence(why)}`,
      {
        cause,
        remedy: `Ask your administrator to correct ${name}. Until then, everything that it may forbid is blocked.`,
      },
    );
    return { ...NO_POLICY, source: name, problem };
  }
}
