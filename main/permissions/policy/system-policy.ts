import type { Policy } from './policy.ts';
import { PolicyFile } from './policy-file.ts';
import type { PolicySource } from './policy-source.ts';
import { systemSource } from './sources.ts';

let file: PolicyFile | undefined;

/** The policy of this computer, for every part of the process, so that no caller has to pass it on. */
export function systemPolicy(): PolicyFile {
  file ??= new PolicyFile(systemSource());
  return file;
}

/** The policy of this moment. Never rejects. */
export function currentPolicy(): Promise<Policy> {
  return systemPolicy().now();
}

/**
 * Lets a test's process find its policy elsewhere; undefined goes back to the system's place. Nothing in the product calls
 * this, so the build leaves it out: a test checks both.
 */
export function setPolicySource(source: PolicySource | undefined): void {
  file = source && new PolicyFile(source);
}
