/** An embedded workspace in its own process, which can be stopped. Says where it is; each line of input ends all access tokens. */
import { createInterface } from 'node:readline';
import { startWorkspace } from '../../workspace/workspace.ts';

const workspace = await startWorkspace({ autoApprove: 'ana@example.com' });
process.stdout.write(`${JSON.stringify({ host: workspace.host, token: workspace.users[0]?.token })}\n`);
createInterface({ input: process.stdin }).on('line', () => {
  workspace.faults.expireAccessTokens();
  process.stdout.write('ended\n');
});
