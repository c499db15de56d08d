import { describe, vi } from 'vitest';

/** Tests that run against the first issuer in their own files, once more against the second one. */

vi.hoisted(() => {
  process.env.WORKSPACE_ISSUER = 'plain';
});

describe('with the plain issuer', async () => {
  await import('./sign-in.test.ts');
});
describe('with the plain issuer', async () => {
  await import('./tokens.test.ts');
});
describe('with the plain issuer', async () => {
  await import('./second-sign-in.test.ts');
});
describe('with the plain issuer', async () => {
  await import('./credentials.test.ts');
});
describe('with the plain issuer', async () => {
  await import('./login.test.ts');
});
describe('with the plain issuer', async () => {
  await import('./sign-in-failures.test.ts');
});
describe('with the plain issuer', async () => {
  await import('./answered-last.test.ts');
});
describe('with the plain issuer', async () => {
  await import('./many-processes.test.ts');
});
describe('with the plain issuer', async () => {
  await import('./sign-in-settings.test.ts');
});
describe('with the plain issuer', async () => {
  await import('./whoami.test.ts');
});
