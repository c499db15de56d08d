import { describe, expect, test } from 'vitest';
import { parseWorkspaceUrl } from '../../../main/auth/profiles/workspace-url.ts';

describe('a workspace URL', () => {
  test.each([
    ['acme.cloud.databricks.com', 'https://acme.cloud.databricks.com'],
    ['https://acme.cloud.databricks.com/', 'https://acme.cloud.databricks.com'],
    [' acme.cloud.databricks.com/sql/editor?o=12#x ', 'https://acme.cloud.databricks.com'],
    ['https://adb-1.2.azuredatabricks.net/?o=12', 'https://adb-1.2.azuredatabricks.net'],
    ['acme.gcp.databricks.com', 'https://acme.gcp.databricks.com'],
    ['acme.cloud.databricks.us', 'https://acme.cloud.databricks.us'],
    ['acme.databricks.azure.cn', 'https://acme.databricks.azure.cn'],
    ['http://127.0.0.1:8080', 'http://127.0.0.1:8080'],
  ])('%s is the host %s', (text, host) => {
    expect(parseWorkspaceUrl(text).host).toBe(host);
  });

  test.each([
    ['', 'This is not a workspace URL.'],
    ['hello', '“hello” is not a workspace URL.'],
    ['two words', 'This is not a workspace URL.'],
    ['http://acme.cloud.databricks.com', 'A workspace URL begins with https://, not http://.'],
    ['ftp://acme.cloud.databricks.com', 'This is not a workspace URL.'],
    ['https://example.com', 'example.com is not a Databricks host.'],
    ['https://databricks.com.example.com', 'databricks.com.example.com is not a Databricks host.'],
    ['https://notdatabricks.com', 'notdatabricks.com is not a Databricks host.'],
    ['https://me:secret@acme.cloud.databricks.com', 'This is not a workspace URL.'],
    ['https://accounts.cloud.databricks.com', 'This is the account console.'],
  ])('%s is refused', (text, message) => {
    const error = { code: 'usage', message, remedy: expect.stringMatching(/\.$/) };
    expect(() => parseWorkspaceUrl(text)).toThrow(expect.objectContaining(error));
  });
});
