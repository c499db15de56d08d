import { describe, expect, test } from 'vitest';
import { azureCloudOf } from '../../../main/auth/sources/azure-cloud.ts';

describe('the cloud of Azure that a workspace is in', () => {
  test.each([
    [
      'https://adb-1.2.azuredatabricks.net',
      'https://login.microsoftonline.com',
      'https://management.core.windows.net/',
    ],
    [
      'https://adb-1.2.databricks.azure.us',
      'https://login.microsoftonline.us',
      'https://management.core.usgovcloudapi.net/',
    ],
    [
      'https://adb-1.2.databricks.azure.cn',
      'https://login.chinacloudapi.cn',
      'https://management.core.chinacloudapi.cn/',
    ],
  ])('of %s signs in at %s', (host, entra, management) => {
    expect(azureCloudOf(host, undefined)).toEqual({ entra, management });
  });

  test.each([
    'https://my-company.cloud.databricks.com',
    'https://1.gcp.databricks.com',
    'https://azuredatabricks.net.evil.example',
    'https://evilazuredatabricks.net',
  ])('%s is in no Azure cloud', (host) => {
    expect(azureCloudOf(host, undefined)).toBeUndefined();
  });

  test('is the public one if the profile names its Azure resource', () => {
    expect(azureCloudOf('https://a.example', '/subscriptions/1')?.entra).toBe('https://login.microsoftonline.com');
  });
});
