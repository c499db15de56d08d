import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';

/** The pages that a user sees while signing in. */

/** What happens to a sign-in: a user decides on the page, or it is decided for them. */
export type Approval = 'ask' | 'deny' | { as: string };

export interface ConsentPage {
  clientName: string;
  scopes: string[];
  people: { userName: string; displayName: string }[];
  /** Chosen when the page opens. */
  selected: string | undefined;
  /** Where the answer leads in the end: browsers count the redirect behind a form as a part of it. */
  redirectUri: string | undefined;
  /** The heading; `Sign in to the workspace` if left out. */
  title?: string;
}

const SCOPE_MEANINGS: Record<string, string> = {
  'all-apis': 'Use every API of this workspace as you',
  offline_access: 'Stay signed in when you are away',
  sql: 'Run queries and see SQL warehouses',
  genie: 'Ask Genie spaces',
  'vector-search': 'Search vector indexes',
  'ai-search': 'Search AI Search indexes',
  'unity-catalog': 'Use functions of the data catalog',
  'ai-gateway': 'Use services of AI Gateway',
  openid: 'Know who you are',
  email: 'See your e-mail address',
  profile: 'See your name',
};

export function sendConsentPage(response: ServerResponse, page: ConsentPage): void {
  const people = page.people.map(
    ({ userName, displayName }) =>
      `<label><input type="radio" name="user" value="${escapeHtml(userName)}" required${userName === page.selected ? ' checked' : ''}><span>${escapeHtml(displayName)}<small>${escapeHtml(userName)}</small></span></label>`,
  );
  const scopes = page.scopes.map((scope) => `<li>${escapeHtml(SCOPE_MEANINGS[scope] ?? scope)}</li>`);
  const body = `<h1>${escapeHtml(page.title ?? 'Sign in to the workspace')}</h1>
<form method="post">
<fieldset><legend>Continue as</legend>${people.join('')}</fieldset>
<h2>${escapeHtml(page.clientName)} asks to</h2>
<ul>${scopes.join('')}</ul>
<p class="actions"><button type="submit" name="decision" value="allow" class="primary">Allow</button>
<button type="submit" name="decision" value="deny" formnovalidate>Deny</button></p>
</form>`;
  // Without an address to lead back to, the form's answer is a page of the workspace.
  const target = page.redirectUri === undefined ? '' : ` ${new URL(page.redirectUri).origin}`;
  sendPage(response, 200, 'Sign in', body, `'self'${target}`);
}

/** A form that posts to its own address. @param fields HTML */
export function sendFormPage(response: ServerResponse, title: string, fields: string): void {
  const body = `<h1>${escapeHtml(title)}</h1><form method="post">${fields}</form>`;
  sendPage(response, 200, title, body, "'self'");
}

export function sendMessagePage(response: ServerResponse, status: number, title: string, message: string): void {
  sendPage(response, status, title, `<h1>${escapeHtml(title)}</h1><p>${escapeHtml(message)}</p>`);
}

/** The form's answer; anything that is not plainly "allow" is a no. */
export function decisionOf(form: string): Approval {
  const fields = new URLSearchParams(form);
  const userName = fields.get('user');
  return fields.get('decision') === 'allow' && userName ? { as: userName } : 'deny';
}

function sendPage(response: ServerResponse, status: number, title: string, body: string, formTargets = "'none'"): void {
  const nonce = randomBytes(16).toString('base64');
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy': `default-src 'none'; style-src 'nonce-${nonce}'; form-action ${formTargets}; base-uri 'none'; frame-ancestors 'none'`,
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  });
  response.end(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} · Embedded workspace</title>
<style nonce="${nonce}">${STYLE}</style>
</head>
<body><main>${body}</main></body>
</html>`);
}

const STYLE = `
:root { color-scheme: light dark; --ink: #1c1e21; --soft: #5b6067; --line: #c9ced4; --card: #fff; --ground: #f2f4f6; --accent: #1f5fbf; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8eaed; --soft: #a9b0b8; --line: #4a5058; --card: #22262b; --ground: #16191c; --accent: #7fb0ff; } }
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 16px; background: var(--ground); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
main { width: 100%; max-width: 420px; padding: 32px; background: var(--card); border: 1px solid var(--line); border-radius: 12px; }
h1 { margin: 0 0 24px; font-size: 22px; }
h2 { margin: 24px 0 8px; font-size: 16px; }
ul { margin: 0; padding-left: 24px; }
fieldset { margin: 0; padding: 0; border: 0; }
legend { padding: 0 0 8px; font-weight: 600; }
label { display: flex; gap: 12px; align-items: center; padding: 8px 12px; border: 1px solid var(--line); border-radius: 8px; cursor: pointer; }
label + label { margin-top: 8px; }
input { accent-color: var(--accent); }
label:has(:checked) { border-color: var(--accent); }
small { display: block; color: var(--soft); font-size: 14px; }
.actions { display: flex; gap: 8px; margin: 24px 0 0; }
button { flex: 1; min-height: 44px; border: 1px solid var(--line); border-radius: 8px; background: transparent; color: inherit; font: inherit; cursor: pointer; }
button.primary { border-color: var(--accent); background: var(--accent); color: var(--card); font-weight: 600; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
`;

function escapeHtml(text: string): string {
  const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
  return text.replace(/[&<>"']/g, (letter) => entities[letter] ?? letter);
}
