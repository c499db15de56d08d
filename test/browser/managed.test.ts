import { describe, expect, it } from 'vitest';
import { setPolicySource } from '../../main/policy/system-policy.ts';
import { useWindow, whyNotHere } from './shown-window.ts';

const POLICY = {
  version: 1,
  organization: 'Acme',
  contact: 'it@acme.example',
  tokenStore: { value: 'keychain', locked: true, reason: 'Secrets stay in the keychain' },
  readOnly: { value: true, locked: true },
  updates: { value: 'off', locked: false },
};

describe.skipIf(whyNotHere)('the window on a managed computer', () => {
  const { shown, inspect, go } = useWindow();

  it('says what is managed and why, and changes no setting that is locked', async () => {
    const text = Buffer.from(JSON.stringify(POLICY));
    setPolicySource({ name: '/etc/causeway/policy.json', version: () => 'one', read: async () => text });
    try {
      await go('Settings');
      const notice = shown.page.getByRole('note').filter({ hasText: 'Managed by your organization, Acme' });
      await notice.waitFor({ timeout: 20_000 });
      expect(await notice.textContent()).toContain('Secrets stay in the keychain');
      expect(await notice.textContent()).toContain('it@acme.example');
      expect(await notice.textContent()).not.toContain('Updates');
      await inspect('settings-managed');
    } finally {
      setPolicySource(undefined);
    }
  });
});
