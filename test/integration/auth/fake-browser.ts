import { appendFileSync } from 'node:fs';
import { pageAt, scriptedBrowser } from './scripted-browser.ts';

/** Run as the system's opener by the processes under test: notes the pages that it is led to, and walks through the sign-in. */
const [folder = '', asked = ''] = process.argv.slice(2);
const url = await pageAt(asked);
appendFileSync(`${folder}/opened`, `${url}\n`);
const browser = scriptedBrowser();
await browser.open(url);
const { url: arrival } = await browser.page();
appendFileSync(`${folder}/arrived`, `${arrival}\n`);
