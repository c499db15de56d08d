import { appendFileSync } from 'node:fs';
import { openAuth } from '../../../main/auth/open.ts';

/** A process that nobody watches and that needs a token: notes each page that it opens, and says how it ended. */
const [profileName = '', notes = ''] = process.argv.slice(2);
const openBrowser = async (url: string) => appendFileSync(notes, `${url}\n`);
const auth = openAuth({ env: process.env, openBrowser, signInWhenNeeded: true });
try {
  await auth.tokens(await auth.profile(profileName)).token();
  process.stdout.write('token\n');
} catch (error) {
  process.stdout.write(`${error instanceof Error ? error.message : String(error)}\n`);
}
process.exit(0);
