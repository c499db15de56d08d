import { describe, it } from 'vitest';
import { useWindow, whyNotHere } from './shown-window.ts';

describe.skipIf(whyNotHere)('the activity in the window', () => {
  const { shown, inspect, go } = useWindow();

  it('teaches what appears there while nothing does', async () => {
    await go('Activity');
    await shown.page.getByText('No AI client is connected').waitFor();
    await inspect('activity-empty');
  });

  it('shows sessions as they come and go', async () => {
    await go('Activity');
    const since = Date.now() - 5 * 60_000;
    const sql = { id: 1, pid: 4711, client: 'claude', profile: 'ana', path: '/api/2.0/mcp/sql', since };
    const genie = { ...sql, id: 2, pid: 4712, client: null, profile: null, path: '/api/2.0/mcp/genie/01ef' };
    shown.server.model.showProxies([sql, genie]);
    await shown.page.getByText('2 sessions of AI clients').waitFor();
    await shown.page
      .getByRole('listitem')
      .filter({ hasText: 'claude' })
      .getByText('SQL · ana · process 4711')
      .waitFor();
    await shown.page.getByText('Genie space 01ef · default profile').waitFor();
    await inspect('activity');
    shown.server.model.showProxies([]);
    await shown.page.getByText('No AI client is connected').waitFor();
  });
});
