import { describe, expect, test } from 'vitest';
import {
  withAddress,
  withoutProfile,
  withProfile,
  withRenamedProfile,
} from '../../../main/auth/profiles/config-edit.ts';

const FILE = `; The profiles of my team.  Keep them in this order!

[__settings__]
default_profile = prod   
auth_storage    = secure

# production: careful
[prod]   # since 2021
host  = https://prod.cloud.databricks.com
; this token is rotated by hand
token = dapi-keep
jobs-api-version = 2.0


[staging]
host: https://staging.cloud.databricks.com

# the end
`;

describe('adding a profile', () => {
  test('appends it at the end and changes nothing else', () => {
    expect(withProfile(FILE, 'new one', { host: 'https://n.com', workspace_id: '12', account_id: undefined })).toBe(
      `${FILE}\n[new one]\nhost = https://n.com\nworkspace_id = 12\n`,
    );
  });

  test('works in a file that is empty, has no final line break, or has Windows line breaks', () => {
    expect(withProfile('', 'a', { host: 'h' })).toBe('[a]\nhost = h\n\n[__settings__]\ndefault_profile = a\n');
    expect(withProfile('[b]\nhost = b', 'a', { host: 'h' })).toBe('[b]\nhost = b\n\n[a]\nhost = h\n');
    expect(withProfile('[b]\r\nhost = b\r\n', 'a', { host: 'h' })).toBe('[b]\r\nhost = b\r\n\r\n[a]\r\nhost = h\r\n');
  });

  test.each([
    ['', '[a]\nhost = h\n\n[__settings__]\ndefault_profile = a\n'],
    ['[DEFAULT]\n', '[DEFAULT]\n\n[a]\nhost = h\n\n[__settings__]\ndefault_profile = a\n'],
    [
      '\ufeff[__settings__]\r\nauth_storage = secure\r\n',
      '\ufeff[__settings__]\r\nauth_storage = secure\r\n\r\n[a]\r\nhost = h\r\n\r\n[__settings__]\r\ndefault_profile = a\r\n',
    ],
    ['[__settings__]', '[__settings__]\n\n[a]\nhost = h\n\n[__settings__]\ndefault_profile = a\n'],
    ['[__settings__]\ndefault_profile = x\n', '[__settings__]\ndefault_profile = x\n\n[a]\nhost = h\n'],
    ['[b]\nhost = b\n', '[b]\nhost = b\n\n[a]\nhost = h\n'],
  ])('makes the first one the default, as the Databricks CLI does: %j', (before, after) => {
    expect(withProfile(before, 'a', { host: 'h' })).toBe(after);
  });

  test.each([
    ['prod', 'already_exists', 'There is already a profile "prod".'],
    ['', 'usage', '"" cannot name a profile: it is empty or begins or ends with a space.'],
    [' x', 'usage', '" x" cannot name a profile: it is empty or begins or ends with a space.'],
    ['x]\n[y', 'usage', '"x]\n[y" cannot name a profile: it has a bracket or a line break.'],
    ['__settings__', 'already_exists', 'There is already a profile "__settings__".'],
  ])('is refused as %j', (name, code, message) => {
    const rule = expect.objectContaining({ code, message });
    if (name === '__settings__') {
      expect(() => withProfile('', name, {})).toThrow(
        '"__settings__" cannot name a profile: it is reserved for the settings of the Databricks tools.',
      );
    } else {
      expect(() => withProfile(FILE, name, { host: 'h' })).toThrow(rule);
    }
  });

  test('is refused with a line break in a value', () => {
    expect(() => withProfile('', 'a', { host: 'h', workspace_id: '1\ntoken = stolen' })).toThrow(
      'The value of workspace_id contains a line break.',
    );
  });
});

describe('renaming a profile', () => {
  test('keeps its place, and the default follows', () => {
    expect(withRenamedProfile(FILE, 'prod', 'live $1')).toBe(
      FILE.replace('[prod]', () => '[live $1]').replace('default_profile = prod   ', () => 'default_profile = live $1'),
    );
  });

  test('works for the keys before any section', () => {
    expect(withRenamedProfile('host = h\n', 'DEFAULT', 'mine')).toBe('[mine]\nhost = h\n');
  });

  test('is refused if the new name exists or the old one does not', () => {
    expect(() => withRenamedProfile(FILE, 'prod', 'staging')).toThrow('There is already a profile "staging".');
    expect(() => withRenamedProfile(FILE, 'gone', 'x')).toThrow(
      'There is no profile "gone" in the configuration file.',
    );
    expect(() => withRenamedProfile(FILE, '__settings__', 'x')).toThrow(
      'There is no profile "__settings__" in the configuration file.',
    );
  });
});

describe('removing a profile', () => {
  test('removes its keys and leaves the rest unchanged', () => {
    expect(withoutProfile(FILE, 'staging')).toBe(
      FILE.replace('[staging]\nhost: https://staging.cloud.databricks.com\n\n', ''),
    );
  });

  test('removes it as the default, too', () => {
    const text = withoutProfile(FILE, 'prod');
    expect(text).not.toContain('default_profile');
    expect(text).not.toContain('dapi-keep');
    expect(text).toContain('auth_storage    = secure');
    expect(text).toContain('# production: careful');
    expect(text).toContain('[staging]\nhost: https://staging.cloud.databricks.com\n');
  });

  test('removes every section of that name', () => {
    expect(withoutProfile('[a]\nx = 1\n[b]\ny = 2\n[a]\nx = 3\n', 'a')).toBe('[b]\ny = 2\n');
  });

  test('undoes adding it, byte for byte', () => {
    expect(withoutProfile(withProfile(FILE, 'new', { host: 'h' }), 'new').trimEnd()).toBe(FILE.trimEnd());
  });
});

describe('the bytes around an edit', () => {
  test.each([
    ['that does not end with a line break', '[b]\nhost = b', '[b]\nhost = b\n\n[a]\nhost = h\n'],
    ['with blank lines at the end', '[b]\nhost = b\n\n\n', '[b]\nhost = b\n\n\n[a]\nhost = h\n'],
    ['with a byte order mark', '\uFEFF[b]\r\nhost = b', '\uFEFF[b]\r\nhost = b\r\n\r\n[a]\r\nhost = h\r\n'],
    ['with both kinds of line breaks', '# one\n[b]\r\nhost = b\r\n', '# one\n[b]\r\nhost = b\r\n\n[a]\nhost = h\n'],
  ])('stay when a profile is added to a file %s', (_name, text, after) => {
    expect(withProfile(text, 'a', { host: 'h' })).toBe(after);
  });

  test('stay when a profile is renamed or removed', () => {
    const text = '\uFEFF# top\r\n[a]\nhost = h\r\n\n[__settings__]\r\ndefault_profile = a # mine\r\n[b]\nhost = b';
    expect(withRenamedProfile(text, 'a', 'x # y')).toBe(
      '\uFEFF# top\r\n[x # y]\nhost = h\r\n\n[__settings__]\r\ndefault_profile = "x # y" # mine\r\n[b]\nhost = b',
    );
    expect(withoutProfile(text, 'a')).toBe('\uFEFF# top\r\n\n[__settings__]\r\n[b]\nhost = b');
  });

  test('stay above the keys that come before any section', () => {
    expect(withoutProfile('# mine\n\nhost = h\n[b]\nhost = b\n', 'DEFAULT')).toBe('# mine\n\n[b]\nhost = b\n');
    expect(withRenamedProfile('# mine\nhost = h\n', 'DEFAULT', 'x')).toBe('# mine\n[x]\nhost = h\n');
  });
});

describe('changing the address of a profile', () => {
  const moved = { host: 'https://new.cloud.databricks.com', workspace_id: undefined, account_id: undefined };

  test('replaces the host and keeps everything else, comments included', () => {
    const edited = withAddress(FILE, 'prod', moved);
    expect(edited).toBe(FILE.replace('https://prod.cloud.databricks.com', 'https://new.cloud.databricks.com'));
    expect(withAddress('[a]\nhost = h # ours\ntoken = t\n', 'a', { host: 'n' })).toBe(
      '[a]\nhost = n # ours\ntoken = t\n',
    );
  });

  test('adds ids that the new address has and removes those that only the old one had', () => {
    const file = '[a]\nhost = https://u.databricks.com\nworkspace_id = 1\ntoken = t\n';
    expect(withAddress(file, 'a', moved)).toBe('[a]\nhost = https://new.cloud.databricks.com\ntoken = t\n');
    expect(withAddress(file, 'a', { ...moved, workspace_id: '2' })).toBe(
      '[a]\nhost = https://new.cloud.databricks.com\nworkspace_id = 2\ntoken = t\n',
    );
    expect(withAddress('[a]\nhost = h', 'a', { ...moved, account_id: 'x' })).toBe(
      '[a]\naccount_id = x\nhost = https://new.cloud.databricks.com',
    );
  });

  test('gives a host to a profile that has none', () => {
    expect(withAddress('[a]\ntoken = t\n[b]\nhost = b', 'a', { host: 'h' })).toBe(
      '[a]\nhost = h\ntoken = t\n[b]\nhost = b',
    );
    expect(withAddress('[a]', 'a', { host: 'h' })).toBe('[a]\nhost = h\n');
    expect(withAddress('token = t\n', 'DEFAULT', { host: 'h' })).toBe('host = h\ntoken = t\n');
  });

  test('is refused if a multi-line value contains a line that looks like the host', () => {
    const file = '[a]\ntoken = """\nhost = inside\n"""\nhost = h\n';
    expect(() => withAddress(file, 'a', { host: 'n' })).toThrow('The address of "a" cannot be changed here.');
  });

  test('is refused for a profile that does not exist', () => {
    expect(() => withAddress(FILE, 'none', moved)).toThrow(expect.objectContaining({ code: 'profile_not_found' }));
  });
});
