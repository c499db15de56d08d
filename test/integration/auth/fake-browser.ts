import { appendFileSync } from 'node:fs';
import { scriptedBrowser } from './scripted-browser.ts';

/** Run as the system's opener by the processes under test: notes the addresses, and walks through the sign-in. */
const [folder = '', url = ''] = process.argv.slice(2);
appendFileSync(`${folder}/opened`, `${url}\n`);
const browser = scriptedBrowser();
await browser.open(url);
const { url: arrival } = await browser.page();
appendFileSync(`${folder}/arrived`, `${arrival}\n`);
