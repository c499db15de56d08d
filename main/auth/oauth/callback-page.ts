import { createHash } from 'node:crypto';

/** The page that the browser shows after the sign-in. */
export interface CallbackPage {
  status: number;
  tone: 'good' | 'bad' | 'neutral';
  title: string;
  lines: readonly string[];
}

const STYLE = `
:root { color-scheme: light dark; --ground: #f3f4f6; --panel: #ffffff; --ink: #1a1d21; --soft: #555c66; --line: #d9dde3; --good: #1b7f4b; --bad: #b3261e; --neutral: #555c66; }
@media (prefers-color-scheme: dark) { :root { --ground: #17191c; --panel: #212429; --ink: #eceef1; --soft: #a8b0bb; --line: #363b43; --good: #5cc58c; --bad: #ff8a80; --neutral: #a8b0bb; } }
* { box-sizing: border-box; margin: 0; }
body { min-height: 100vh; display: grid; place-items: center; padding: 24px; background: var(--ground); color: var(--ink); font: 16px/1.5 system-ui, -apple-system, "Segoe UI", sans-serif; }
main { width: 100%; max-width: 448px; padding: 32px; background: var(--panel); border: 1px solid var(--line); border-radius: 12px; }
header { display: flex; align-items: center; gap: 8px; margin-bottom: 24px; font-size: 14px; font-weight: 600; }
header svg { flex: none; width: 28px; height: 28px; }
h1 { display: flex; gap: 12px; align-items: baseline; font-size: 22px; line-height: 1.3; font-weight: 600; }
h1 svg { flex: none; width: 20px; height: 20px; align-self: center; }
p { margin-top: 12px; color: var(--soft); overflow-wrap: anywhere; }
p:first-of-type { color: var(--ink); }
.good h1 svg { color: var(--good); } .bad h1 svg { color: var(--bad); } .neutral h1 svg { color: var(--neutral); }
`;

const SIGNS: Record<CallbackPage['tone'], string> = {
  good: 'M5 12.5l4.5 4.5L19 7.5',
  bad: 'M6 6l12 12M18 6L6 18',
  neutral: 'M12 11v6M12 7v.5',
};

/** The application's mark (`resources/icon.svg`). */
const MARK = `<svg viewBox="0 0 32 32" aria-hidden="true"><rect x="1" y="1" width="30" height="30" rx="7" fill="#12748a"/><path fill="#fff" d="M5.6 10.4H26.4V22.4H24.8V19.2a4 4 0 0 0-8 0V22.4H15.2V19.2a4 4 0 0 0-8 0V22.4H5.6Z"/></svg>`;

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/** Nothing is loaded, run, framed or submitted. The only style is allowed by its hash. */
const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  connection: 'close',
};

/** The page as an HTTP answer. */
export function renderCallbackPage({ status, tone, title, lines }: CallbackPage): {
  status: number;
  headers: Record<string, string>;
  body: string;
} {
  const body = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} · Causeway</title>
<style>${STYLE}</style>
</head>
<body>
<main class="${tone}">
<header>${MARK}Causeway</header>
<h1><svg viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2.5" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><path d="${SIGNS[tone]}"/></svg>${escapeHtml(title)}</h1>
${lines.map((line) => `<p>${escapeHtml(line)}</p>`).join('\n')}
</main>
</body>
</html>
`;
  return { status, headers: HEADERS, body };
}

function escapeHtml(text: string): string {
  const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
  return text.replace(/[&<>"']/g, (letter) => entities[letter] ?? letter);
}
