import { inspect } from 'node:util';

const REDACTED = '[redacted]';

/**
 * A token, password or code on its way through the process. Printing it in any way (string conversion, JSON,
 * `console.log` of an object that holds it) gives `[redacted]`; only `reveal()` gives the text, at the place that sends it.
 */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  equals(other: Secret | undefined): boolean {
    return other !== undefined && other.#value === this.#value;
  }

  toString(): string {
    return REDACTED;
  }

  toJSON(): string {
    return REDACTED;
  }

  [inspect.custom](): string {
    return REDACTED;
  }
}
