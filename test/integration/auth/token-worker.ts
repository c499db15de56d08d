import { openAuth } from '../../../main/auth/open.ts';
import { scriptedBrowser } from './scripted-browser.ts';

/** Renews a sign-in, or makes one, when it is told to; whoever started it may kill it at any moment. */
const [what = '', profileName = ''] = process.argv.slice(2);
const auth = openAuth({ env: process.env, openBrowser: scriptedBrowser().open });
const profile = await auth.profile(profileName);
// What is loaded at the first use is no step of what is interrupted.
await auth.signInState(profile);
await Promise.all([
  import('../../../main/auth/oauth/browser-sign-in.ts'),
  import('../../../main/auth/oauth/refresh.ts'),
]);
process.stdout.write('ready\n');
for await (const _ of process.stdin) break;
if (what === 'sign-in') await auth.signIn(profile);
else await auth.tokens(profile).token();
process.stdout.write('done\n');
process.exit(0);
