import { describe, expect, it } from 'vitest';
import { createCauseway } from '../../../main/app/causeway.ts';
import { runCauseway } from '../auth/causeway-process.ts';
import { scriptedBrowser } from '../auth/scripted-browser.ts';
import { setBrowserStage } from '../auth/stage.ts';
import { ProxyProcess } from './proxy-process.ts';

const PATH = '/api/2.0/mcp/sql';
const stage = setBrowserStage();

async function signIn(): Promise<void> {
  const auth = stage.open({ openBrowser: scriptedBrowser().open });
  await auth.signIn(await auth.profile('user'));
  await auth.close();
}

describe.each(['alone', 'through the application'])('a sign-out during a call, %s', (how) => {
  it.each(['ana@example.com', 'ben@example.com'])(
    'lets the call finish; the next one gets an error without a page, until %s signs in',
    async (next) => {
      await signIn();
      if (how !== 'alone') {
        const causeway = createCauseway({ env: stage.home.env });
        const hub = await causeway.serveProxies();
        stage.atEnd(async () => {
          await hub.close();
          await causeway.close();
        });
      }
      const proxy = new ProxyProcess(['--profile', 'user', '--path', PATH], stage.home.env);
      stage.atEnd(() => proxy.close());
      await proxy.open();
      expect((await proxy.request(1, 'tools/list')).result).toBeDefined();
      const ran = () => stage.workspace.statements.length;
      const query = (id: number) =>
        proxy.request(id, 'tools/call', { name: 'execute_sql', arguments: { query: 'SELECT 1' } });

      const effect = { kind: 'stall', milliseconds: 3_000, afterBytes: 0 } as const;
      stage.workspace.faults.add({ path: PATH, effect, times: 1 });
      const call = query(2);
      await expect.poll(ran).toBe(1);
      const logout = await runCauseway(stage.home, ['logout', '--profile', 'user']);
      expect(logout).toMatchObject({ code: 0, stdout: expect.stringContaining('revoked its tokens') });
      expect((await call).result).toMatchObject({ structuredContent: { statement_id: expect.any(String) } });
      expect(ran()).toBe(1);

      // The user has chosen to be signed out: nothing opens a page.
      expect((await query(3)).error).toMatchObject({
        message: expect.stringContaining('Sign in with: causeway login --profile user'),
        data: { reason: 'signed_out' },
      });
      expect([ran(), await stage.pages()]).toEqual([1, []]);

      stage.workspace.approve({ as: next });
      await signIn();
      // What was meant as one user is not done by another unnoticed.
      if (next !== 'ana@example.com') {
        expect((await query(5)).error).toMatchObject({
          message: expect.stringContaining(`as ${next} (profile user). This session was started as ana@example.com.`),
          data: { reason: 'user_changed' },
        });
      }
      expect((await query(4)).result).toMatchObject({ structuredContent: { statement_id: expect.any(String) } });
      expect(ran()).toBe(2);
    },
  );
});
