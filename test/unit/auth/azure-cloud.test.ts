import { describe, expect, test } from 'vitest';
import { judgeSettings } from '../../../main/auth/profiles/profile-settings.ts';
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
    expect(azureCloudOf(host)).toEqual({ entra, management });
  });

  test.each([
    'https://my-company.cloud.databricks.com',
    'https://1.gcp.databricks.com',
    'https://azuredatabricks.net.evil.example',
    'https://evilazuredatabricks.net',
  ])('%s is in no Azure cloud', (host) => {
    expect(azureCloudOf(host)).toBeUndefined();
  });

  test('is the public one on this computer', () => {
    expect(azureCloudOf('http://127.0.0.1:8080')?.entra).toBe('https://login.microsoftonline.com');
  });
});

describe('the resource id of an Azure workspace', () => {
  const RESOURCE = '/subscriptions/1/resourceGroups/rg/providers/Microsoft.Databricks/workspaces/w';
  const values = { host: 'https://a.example', auth_type: 'azure-cli' };

  test.each([
    ['in the environment', values, { DATABRICKS_AZURE_RESOURCE_ID: RESOURCE }],
    ['in the profile', { ...values, azure_workspace_resource_id: RESOURCE }, {}],
  ])('%s does not make another host one of Azure', (_where, keys, env) => {
    expect(judgeSettings(new Map(Object.entries(keys)), env)).toMatchObject({ usable: false, reason: 'not_azure' });
  });
});
