/** The location of a policy. */
export interface PolicySource {
  /** For messages. */
  name: string;
  /** Tells one state of the policy from another without reading it; `absent` if there is none. */
  version(): string;
  /** The policy's text, in JSON; undefined if there is none. @throws whatever keeps it from being read */
  read(): Promise<Buffer | undefined>;
  /** Whether an administrator is removing Causeway from this computer; never so if nothing tells. */
  isBeingRemoved?(): boolean;
}
