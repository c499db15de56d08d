import { describe, vi } from 'vitest';

/** Tests of what passes between Causeway and the issuer, once more against the second one; their own files are against the first. */

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
  await import('./sign-in-failures.test.ts');
});
describe('with the plain issuer', async () => {
  await import('./answered-last.test.ts');
});
describe('with the plain issuer', async () => {
  await import('./sign-in-settings.test.ts');
});
