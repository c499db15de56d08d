import { describe, expect, it } from 'vitest';
import { CausewayError } from '../../../main/platform/errors.ts';
import { explainUnexpected } from '../../../main/platform/file-errors.ts';

describe('a system error at the top of a program', () => {
  const outOfFiles = (message: string, more: object = {}) =>
    Object.assign(new Error(message), { code: 'EMFILE', ...more });

  it.each([
    ['with a path', outOfFiles('EMFILE: too many open files, open', { path: '/x/a.js' })],
    ['of a module that cannot be loaded', outOfFiles("EMFILE: too many open files, open '/x/a.js'")],
  ])('is explained %s', (_, error) => {
    const explained = explainUnexpected(error);
    expect(explained).toBeInstanceOf(CausewayError);
    expect(String(explained)).toContain('/x/a.js cannot be opened: this program has too many files open');
  });

  it.each([outOfFiles('EMFILE: too many open files'), new CausewayError('usage', 'No.'), 'text'])(
    'is left as it is if no file is named: %s',
    (error) => {
      expect(explainUnexpected(error)).toBe(error);
    },
  );
});
