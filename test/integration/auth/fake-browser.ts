import { appendFileSync } from 'node:fs';
import { scriptedBrowser } from './scripted-browser.ts';

/** Run as the system's opener by the processes under test: notes the address, and walks through the sign-in. */
const [log = '', url = ''] = process.argv.slice(2);
appendFileSync(log, `${url}\n`);
const browser = scriptedBrowser();
await browser.open(url);
await browser.page();
