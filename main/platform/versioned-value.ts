/** The version of a source that holds nothing. */
export const ABSENT = 'absent';

/** Where a value comes from. */
export interface VersionedSource<T> {
  /** Changes whenever the source changes, and is cheap to get; `ABSENT` if there is no source. */
  version(): string;
  /** The value if there is no source. */
  absent: T;
  /** Reads the value. Never rejects. `isFinal` is false if another reading of the same version can give another value. */
  read(): Promise<{ value: T; isFinal: boolean }>;
}

/** A value that is read again when the version of its source has changed. */
export class VersionedValue<T> {
  readonly #source: VersionedSource<T>;
  #version: string | undefined;
  #isFinal = true;
  #current: T | undefined;
  #reading: Promise<void> | undefined;

  constructor(source: VersionedSource<T>) {
    this.#source = source;
  }

  /** The last value that was read; undefined before the first reading. */
  get current(): T | undefined {
    return this.#current;
  }

  /** The version at the last check. */
  get version(): string | undefined {
    return this.#version;
  }

  /** Checks the version. If it has changed, resolves when the value has been read; undefined if it has not changed. */
  refresh(): Promise<void> | undefined {
    const version = this.#source.version();
    if (version === this.#version && this.#isFinal) return this.#reading;
    this.#version = version;
    this.#isFinal = true;
    if (version === ABSENT) {
      this.#current = this.#source.absent;
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
    const { value, isFinal } = await this.#source.read();
    // If the version has changed meanwhile, a later reading counts.
    if (this.#version !== version) return;
    this.#current = value;
    this.#isFinal = isFinal;
  }
}
