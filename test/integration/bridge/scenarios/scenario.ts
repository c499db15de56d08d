/** A test as it is in its file: the file under `test/integration/`, and its title as it is written there. */
type Proof = [file: string, title: string];

/** One thing that a proxy must survive or do, why we know, and the tests that show it with real processes. */
export interface Scenario {
  demand: string;
  /** Where users of other proxies reported it, or what those proxies were seen to do. */
  seen?: string;
  proofs: Proof[];
}

/** Where users of the strongest of the other proxies tell of their troubles. */
export const REMOTE = 'https://github.com/punkpeye/mcp-remote';
