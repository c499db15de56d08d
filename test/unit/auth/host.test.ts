import { describe, expect, test } from 'vitest';
import { isAccountHost, isLoopback, parseHost } from '../../../main/auth/profiles/host.ts';

describe('a workspace address', () => {
  test.each([
    ['https://adb-1.2.azuredatabricks.net', 'https://adb-1.2.azuredatabricks.net'],
    ['adb-1.2.azuredatabricks.net', 'https://adb-1.2.azuredatabricks.net'],
    ['  https://Acme.Cloud.Databricks.com/  ', 'https://acme.cloud.databricks.com'],
    ['https://acme.cloud.databricks.com/sql/editor?o=12#x', 'https://acme.cloud.databricks.com'],
    ['https://acme.cloud.databricks.com:443', 'https://acme.cloud.databricks.com'],
    ['http://localhost:8080/', 'http://localhost:8080'],
    ['http://127.0.0.1:8080', 'http://127.0.0.1:8080'],
    ['http://[::1]:8080', 'http://[::1]:8080'],
    ['acme.com/?next=https://other.com', 'https://acme.com'],
  ])('%s is the origin %s', (text, host) => {
    expect(parseHost(text).host).toBe(host);
  });

  test.each([
    ['https://u.databricks.com/?o=7405610757559437099', '7405610757559437099', undefined],
    ['https://u.databricks.com/?w=12', '12', undefined],
    ['https://u.databricks.com/?workspace_id=12&account_id=a-b', '12', 'a-b'],
    ['https://u.databricks.com/?a=a-b', undefined, 'a-b'],
  ])('%s carries its ids in the query', (text, workspaceId, accountId) => {
    expect(parseHost(text)).toMatchObject({ workspaceId, accountId });
  });

  test.each([
    ['', '"" is not a workspace address.'],
    ['ftp://acme.com', '"ftp://acme.com" is not a workspace address.'],
    ['https://', '"https://" is not a workspace address.'],
    ['javascript:alert(1)', '"javascript:alert(1)" is not a workspace address.'],
    ['https://me:hunter2@acme.com', 'The address "https://acme.com" has a user name.'],
    ['me:hunter2@acme.com', 'The address "acme.com" has a user name.'],
    ['me:hunter2@acme.com/sql', 'The address "acme.com/sql" has a user name.'],
    ['http://127.0.0.1.acme.com', '"http://127.0.0.1.acme.com" would send tokens unencrypted.'],
    ['http://acme.com.127.0.0.1.net', 'would send tokens unencrypted.'],
    ['http://localhost.localhost.com', 'would send tokens unencrypted.'],
    ['http://acme.com', '"http://acme.com" would send tokens unencrypted.'],
    ['http://localhost.acme.com', '"http://localhost.acme.com" would send tokens unencrypted.'],
  ])('%s is refused', (text, message) => {
    expect(() => parseHost(text)).toThrow(message);
  });

  test.each(['ftp://acme.com', 'http://acme.com'])(
    '%s is refused as incorrect usage, with the correct form beside it',
    (text) => {
      const error = { code: 'usage', remedy: expect.stringContaining('https://') };
      expect(() => parseHost(text)).toThrow(expect.objectContaining(error));
    },
  );

  test.each([
    ['localhost', true],
    ['127.0.0.1', true],
    ['127.10.200.30', true],
    ['[::1]', true],
    ['app.localhost', true],
    ['', false],
    ['.localhost.com', false],
    ['localhost.com', false],
    ['128.0.0.1', false],
    ['127.0.0.1.com', false],
    ['a127.0.0.1', false],
    ['127.a.0.1', false],
    ['127.0.a.1', false],
    ['127.0.0.a', false],
  ])('%j means this computer: %s', (hostname, expected) => {
    expect(isLoopback(hostname)).toBe(expected);
  });

  test.each([
    ['https://accounts.cloud.databricks.com', true],
    ['https://accounts.azuredatabricks.net', true],
    ['https://accounts-dod.cloud.databricks.us', true],
    ['https://accounting.cloud.databricks.com', false],
  ])('%s is an account host: %s', (host, expected) => {
    expect(isAccountHost(host)).toBe(expected);
  });
});
