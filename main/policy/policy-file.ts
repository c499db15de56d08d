import { asCausewayError, asSentence, CausewayError, inOneLine } from '../platform/errors.ts';
import { NO_POLICY, type Policy } from './policy.ts';
import { ABSENT, type PolicySource } from './sources.ts';

/**
 * The organization's policy as it is now. It is looked at before each decision. One that cannot be used forbids all that a
 * policy can forbid; one that is not there forbids nothing.
 */
export class PolicyFile {
  readonly #source: PolicySource;
  #version: string | undefined;
  #policy: Policy | undefined;
  #reading: Promise<void> | undefined;

  constructor(source: PolicySource) {
    this.#source = source;
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
    if (this.#policy) return this.#policy;
    return this.#source.version() === ABSENT ? NO_POLICY : this.#closed(new Error('it was not read yet'));
  }

  /** The policy of this moment. Never rejects. */
  async now(): Promise<Policy> {
    await this.refresh();
    return this.current;
  }

  /** Looks whether the policy has changed. Resolves when it has been read; undefined if what is known still holds. */
  refresh(): Promise<void> | undefined {
    const version = this.#source.version();
    if (version === this.#version) return this.#reading;
    this.#version = version;
    if (version === ABSENT) {
      this.#policy = NO_POLICY;
      this.#reading = undefined;
      return undefined;
    }
    const reading = this.#read(version).finally(() => {
      if (this.#reading === reading) this.#reading = undefined;
    });
    this.#reading = reading;
    return reading;
  }

  async #read(version: string): Promise<void> {
    const policy = await this.#load().catch((error: unknown) => this.#closed(error));
    // A later look has found another version meanwhile.
    if (this.#version === version) this.#policy = policy;
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
