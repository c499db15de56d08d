import { openSync } from 'node:fs';
import { openSystemBrowser } from '../../../main/auth/oauth/open-browser.ts';
import { loginShellPath } from '../../../main/clients/login-shell.ts';

// Opens all the files that its process may open, then starts programs.
try {
  for (;;) openSync('/dev/null', 'r');
} catch {
  const browser = await openSystemBrowser('https://workspace.example/', process.env).catch(String);
  const folders = await loginShellPath({ env: {}, shell: '/bin/sh' })();
  process.stdout.write(JSON.stringify({ browser, folders }));
}
