import { describe, expect, it } from 'vitest';
import { startPageAt } from '../../../main/desktop/window/navigation.ts';
import type { Account } from '../../../preload/contract.ts';
import {
  formatExpiry,
  formatMethod,
  formatStatus,
  signInOffer,
  suggestedName,
} from '../../../renderer/accounts/format.ts';
import { screenIn } from '../../../renderer/shared/screen.ts';

const account = (state: Account['state'], method: Account['method'] = 'oauth-user'): Account => ({
  name: 'acme',
  host: 'https://acme.cloud.databricks.com',
  isDefault: false,
  method,
  state,
});
const signedIn = (change: { expiresAt?: number | null; renewable?: boolean } = {}) =>
  account({ status: 'signed-in', userName: 'ana@example.com', expiresAt: null, renewable: false, ...change });

describe('an account as text', () => {
  it.each([
    [signedIn(), false, 'Signed in', 'sign-out'],
    [account({ status: 'signed-out' }), false, 'Signed out', 'sign-in'],
    [account({ status: 'signed-out' }), true, 'Signing in', 'sign-in'],
    [account({ status: 'by-credentials' }, 'pat'), false, 'Ready', null],
    [account({ status: 'by-credentials' }, 'azure-cli'), false, 'Signed in by CLI', null],
    [account({ status: 'by-credentials' }, 'azure-client-secret'), false, 'Ready', null],
    [account({ status: 'by-credentials' }, 'github-oidc'), false, 'Ready', null],
    [account({ status: 'by-credentials' }, 'env-oidc'), false, 'Ready', null],
    [account({ status: 'by-credentials' }, 'file-oidc'), false, 'Ready', null],
    [account({ status: 'by-databricks-cli' }, 'databricks-cli'), false, 'Signed in by CLI', 'sign-in'],
    [account({ status: 'unusable', message: 'It has no host.' }, null), false, 'Invalid profile', null],
    [
      account({ status: 'unreadable', problem: { code: 'keychain_unavailable', message: '', remedy: null } }),
      false,
      'Unreadable',
      'sign-in',
    ],
  ])('has a status and an offer to sign in or out: case %#', (value, signingIn, status, offer) => {
    expect(formatStatus(value, signingIn)).toBe(status);
    expect(signInOffer(value)).toBe(offer);
  });

  it('says how long it lasts', () => {
    expect(formatExpiry(signedIn({ renewable: true, expiresAt: 5 }), 0)).toBe('Renews automatically');
    expect(formatExpiry(signedIn({ expiresAt: 5000 }), 0)).toMatch(/^Expires /);
    expect(formatExpiry(signedIn({ expiresAt: 5000 }), 5000)).toMatch(/^Expired /);
    expect(formatExpiry(signedIn(), 0)).toBe('');
    expect(formatExpiry(account({ status: 'signed-out' }), 0)).toBe('');
  });

  it('names how it signs in', () => {
    expect(formatMethod(account({ status: 'by-credentials' }, 'pat'))).toBe('Token in config file');
    expect(formatMethod(account({ status: 'by-credentials' }, 'azure-cli'))).toBe('Azure CLI sign-in');
    expect(formatMethod(account({ status: 'unusable', message: '' }, null))).toBe('No credentials');
    expect(formatMethod(account({ status: 'signed-out' }, 'databricks-cli'))).toBe('Browser sign-in');
    expect(formatMethod(account({ status: 'by-databricks-cli' }, 'databricks-cli'))).toBe('Databricks CLI sign-in');
  });
});

describe('the name that is suggested for a workspace', () => {
  it.each([
    ['https://my-company.cloud.databricks.com/?o=1', [], 'my-company'],
    ['My-Company.cloud.databricks.com', ['my-company'], 'my-company-2'],
    [' https://adb-12.3.azuredatabricks.net', ['adb-12', 'adb-12-2'], 'adb-12-3'],
    ['http://127.0.0.1:8020', [], '127'],
    ['https://', [], ''],
    ['', [], ''],
  ])('for %j, if %j are taken, is %j', (host, taken, name) => {
    expect(suggestedName(host, taken)).toBe(name);
  });
});

describe('the address of a screen', () => {
  it('leads to that screen, and any other address to the first one', () => {
    expect(screenIn(new URL(startPageAt('accounts')).hash)).toBe('accounts');
    expect(screenIn(new URL(startPageAt()).hash)).toBe('warehouse');
    expect(screenIn('#toString')).toBe('warehouse');
  });
});
