import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { EXIT_CODES, exitCodeOf, exitCodeOfAll, exitCodeOfCodes } from '../../../main/cli/failure.ts';
import { CausewayError } from '../../../main/platform/errors.ts';
import { ERROR_FACTS, type ErrorCode } from '../../../preload/contract/error-facts.ts';

const CLI = fileURLToPath(new URL('../../../main/cli/', import.meta.url));

/** Every failure, by the exit code of a command that ends with it. */
const FAILURES: Record<number, ErrorCode[]> = {
  1: [
    'invalid_file',
    'managed',
    'file_not_writable',
    'client_running',
    'shared_file',
    'app_not_confirmed',
    'sign_in_failed',
    'sign_in_timeout',
    'consent_denied',
    'wrong_workspace',
    'keychain_unavailable',
    'keychain_locked',
    'user_changed',
    'permission_denied',
    'missing_scope',
    'no_grants',
    'already_exists',
    'conflict',
    'feature_unavailable',
    'unexpected_answer',
    'outcome_unknown',
    'hub_foreign',
    'hub_running',
    'internal',
  ],
  2: ['usage', 'profile_unusable', 'ambiguous', 'invalid_argument'],
  3: ['profile_not_found', 'signed_out', 'service_signed_out', 'cli_unavailable', 'unauthenticated'],
  4: ['not_found'],
  5: ['ip_blocked', 'rate_limited', 'unavailable', 'unreachable', 'tls', 'timeout', 'login_page'],
  130: ['sign_in_cancelled', 'cancelled'],
};

const failure = (code: ErrorCode) => new CausewayError(code, 'x');

describe('the exit code', () => {
  test.each(Object.entries(FAILURES))('%s is that of its failures', (exit, codes) => {
    expect(codes.map((code) => exitCodeOf(failure(code)))).toEqual(codes.map(() => Number(exit)));
    expect(exitCodeOfAll(codes.map(failure))).toBe(Number(exit));
    expect(exitCodeOfCodes(codes)).toBe(Number(exit));
    expect(EXIT_CODES).toHaveProperty(exit);
  });

  test('is decided for every failure', () => {
    expect(Object.values(FAILURES).flat().toSorted()).toEqual(Object.keys(ERROR_FACTS).toSorted());
  });

  test.each<[ErrorCode[], number]>([
    [[], 0],
    [['not_found', 'not_found'], 4],
    [['not_found', 'unreachable'], 1],
    [['timeout', 'unreachable'], 5],
  ])('of several failures is theirs if they agree: %j', (codes, exit) => {
    expect(exitCodeOfAll(codes.map(failure))).toBe(exit);
  });

  test('is a number in the code only where there is no failure whose code it could be', () => {
    const found = globSync('**/*.ts', { cwd: CLI }).flatMap((file) => {
      const lines = readFileSync(`${CLI}${file}`, 'utf8').split('\n');
      return lines.filter((line) => /setExitCode\(\d/.test(line)).map((line) => `${file}: ${line.trim()}`);
    });
    expect(found.toSorted()).toEqual([
      // As the Databricks CLI ends.
      'drop-in/group.ts: context.setExitCode(1);',
      // What was found in the file is wrong.
      'policy.ts: if (errors > 0 || (options.strict && warnings > 0)) context.setExitCode(1);',
      "warehouse/bulk.ts: else if (plan.some(({ action }) => action === 'invalid')) context.setExitCode(1);",
      // A verdict.
      "warehouse/verify.ts: if (results.some(({ verdict }) => verdict === 'fail')) context.setExitCode(1);",
    ]);
  });
});
