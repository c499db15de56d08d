import type { Exchange } from '../../workspace/wire.ts';
import { answeredText, requestLine, sentText } from './evidence.ts';
import type { Result, Verdict } from './run.ts';
import type { Step } from './scene.ts';

/** A mark by which a page of an earlier run is known. */
export const PAGE_MARK = '<meta name="generator" content="causeway acceptance">';

export interface PageHead {
  version: string;
  /** When the run ended. */
  at: Date;
  computer: string;
  command: string;
  /** One line for each thing that was left out, such as the window. */
  notes: string[];
}

const STYLE = `
:root { color-scheme: light dark; --line: light-dark(#d7dbe0, #3b4048); --dim: light-dark(#59636e, #9aa3ad); }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
h2 { margin-top: 2.5rem; } h3 { margin: 1.5rem 0 .25rem; }
table { border-collapse: collapse; } td, th { padding: .25rem 1rem .25rem 0; text-align: left; }
details { border-top: 1px solid var(--line); padding: .5rem 0; } summary { cursor: pointer; }
details details { border: 0; margin-left: 1rem; padding: .15rem 0; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; margin: .25rem 0 .75rem 1rem; font: 13px/1.45 ui-monospace, monospace; }
.pass { color: light-dark(#116329, #7ee2a8); } .fail { color: light-dark(#a40e26, #ff9492); font-weight: 600; }
.dim, .left { color: var(--dim); } code { font: 14px ui-monospace, monospace; } .rests { font-weight: 600; }
`;

/** The page to hand over: everything on it, nothing loaded. */
export function acceptancePage(results: Result[], head: PageHead): string {
  const { version, at, computer, command, notes } = head;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
${PAGE_MARK}
<title>Acceptance of Causeway ${escaped(version)}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>Acceptance of Causeway ${escaped(version)}</h1>
<p>The specification, sentence by sentence. Each requirement has a workspace and a home folder of its own. Shipped commands and the
window are driven there, and what the workspace received is the evidence. Tokens, codes and secrets are struck out.</p>
<table>
<tr><th>Ended</th><td>${at.toISOString()}</td></tr>
<tr><th>Computer</th><td>${escaped(computer)}</td></tr>
<tr><th>Command</th><td><code>${escaped(command)}</code></td></tr>
${['pass', 'fail', 'not shown here'].map((verdict) => `<tr><th>${verdict}</th><td>${count(results, verdict)}</td></tr>`).join('\n')}
</table>
${notes.map((note) => `<p>${escaped(note)}</p>`).join('\n')}
${byHeading(results).map(sectionOf).join('\n')}
</body>
</html>
`;
}

export function count(results: Result[], verdict: string): number {
  return results.filter(({ outcome }) => outcome.verdict === verdict).length;
}

/** The results under each heading, in their order. */
function byHeading(results: Result[]): Result[][] {
  const groups = new Map<string, Result[]>();
  for (const result of results) {
    const { document, heading } = result.requirement;
    const group = groups.get(`${document} ${heading}`) ?? [];
    groups.set(`${document} ${heading}`, [...group, result]);
  }
  return [...groups.values()];
}

function sectionOf(group: Result[]): string {
  const [first] = group;
  if (!first) return '';
  const { document, heading } = first.requirement;
  return `<h2>${escaped(document)}: ${escaped(heading)}</h2>\n${group.map(rowOf).join('\n')}`;
}

function rowOf({ requirement, outcome }: Result): string {
  const { number, says, by } = requirement;
  if (outcome.verdict === 'not shown here') {
    return `<details open class="left"><summary>${number} · not shown here · ${escaped(says)}</summary><p>${escaped(outcome.reason)}</p></details>`;
  }
  const how = by === 'window' ? 'the window' : 'commands';
  const reason = outcome.reason === undefined ? '' : `<p class="fail">${escaped(outcome.reason)}</p>`;
  return `<details${outcome.verdict === 'fail' ? ' open' : ''}>
<summary>${number} · <span class="${outcome.verdict}">${outcome.verdict}</span> · ${escaped(says)} <span class="dim">${how}, ${(outcome.tookMs / 1000).toFixed(1)} s</span></summary>
${reason}${outcome.steps.map((step) => stepOf(step, outcome)).join('\n')}
</details>`;
}

function stepOf({ did, came, code, wire }: Step, outcome: Exclude<Verdict, { verdict: 'not shown here' }>): string {
  const ended = code === undefined ? '' : ` <span class="dim">ended with ${code}</span>`;
  const output = came === '' ? '' : `<pre>${escaped(came)}</pre>`;
  return `<p><code>${escaped(did)}</code>${ended}</p>${output}${wire.map((one) => exchangeOf(one, outcome.rests.has(one))).join('\n')}`;
}

function exchangeOf(exchange: Exchange, rests: boolean): string {
  const user = exchange.logged.userName ?? 'nobody';
  return `<details><summary><code${rests ? ' class="rests"' : ''}>${escaped(requestLine(exchange))}</code> <span class="dim">${escaped(user)}</span></summary>
<pre>${escaped(sentText(exchange))}</pre><pre>${escaped(answeredText(exchange))}</pre></details>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
