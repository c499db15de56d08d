import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { scriptedBrowser } from '../integration/auth/scripted-browser.ts';

/** Run instead of the system's opener: notes the page, and signs in where the user is said to consent. */
const [home = '', url = ''] = process.argv.slice(2);
appendFileSync(join(home, 'pages'), `${url}\n`);
if (readFileSync(join(home, 'consents'), 'utf8') === 'yes') {
  const browser = scriptedBrowser();
  await browser.open(url);
  await browser.page();
}
