import { styleText } from 'node:util';
import yoctoSpinner from 'yocto-spinner';

/** How the demo tells of itself while it runs. */
export interface Account {
  begin(title: string): void;
  /** A line beneath the step under way. */
  tell(text: string): void;
  /** A command that was run, and what it printed. */
  command(line: string, output: string[]): void;
  table(rows: Record<string, string>[]): void;
  done(summary: string, data?: Record<string, unknown>): void;
  failed(reason: string): void;
  /** A line with a verdict, and what it rests on beneath it. */
  verdict(verdict: 'pass' | 'fail' | 'left-out', title: string, beneath: string[], data: Record<string, unknown>): void;
  end(summary: string): void;
  /** What the demo does not show. */
  note(text: string): void;
}

/** Picks the form that suits where the text goes. Colors and motion only on a terminal, and not where NO_COLOR is set. */
export function openAccount(options: { json: boolean; stream: NodeJS.WriteStream }): Account {
  if (options.json) return jsonAccount(options.stream);
  const live = options.stream.isTTY === true && process.env.CI === undefined;
  return textAccount(options.stream, live);
}

function seconds(since: number): string {
  return `${((performance.now() - since) / 1000).toFixed(1)} s`;
}

function textAccount(stream: NodeJS.WriteStream, live: boolean): Account {
  const paint = (style: Parameters<typeof styleText>[0], text: string) => styleText(style, text, { stream });
  const spinner = live ? yoctoSpinner({ stream }) : undefined;
  let title = '';
  let start = 0;
  let beneath: string[] = [];
  const settle = (mark: string, text: string) => {
    spinner?.stop();
    stream.write(`${mark} ${text} ${paint('dim', seconds(start))}\n`);
    for (const line of beneath) stream.write(`  ${line}\n`);
  };
  return {
    begin(text) {
      title = text;
      start = performance.now();
      beneath = [];
      spinner?.start(text);
    },
    tell(text) {
      beneath.push(paint('dim', text));
      if (spinner) spinner.text = `${title} ${paint('dim', text)}`;
    },
    command(line, output) {
      beneath.push(line, ...output.map((text) => paint('dim', `  ${text}`)));
      if (spinner) spinner.text = `${title} ${paint('dim', line)}`;
    },
    table: (rows) => void beneath.push(...drawTable(rows)),
    done(summary) {
      beneath.push(summary);
      settle(paint('green', '✓'), title);
    },
    failed(reason) {
      settle(paint('red', '✗'), title);
      stream.write(`  ${paint('red', reason)}\n`);
    },
    verdict(verdict, text, lines) {
      const mark = { pass: paint('green', '✓'), fail: paint('red', '✗'), 'left-out': paint('dim', '–') }[verdict];
      stream.write(`${mark} ${text}\n`);
      for (const line of lines) stream.write(`  ${paint('dim', line)}\n`);
    },
    end: (summary) => void stream.write(`\n${summary}\n`),
    note: (text) => void stream.write(`${paint('dim', text)}\n`),
  };
}

/** One JSON object a line: `{"step", "ok", "tookMs", "commands", …}`, then `{"done", "tookMs"}`. */
function jsonAccount(stream: NodeJS.WriteStream): Account {
  const began = performance.now();
  let step = '';
  let start = 0;
  let commands: string[] = [];
  const took = (since: number) => Math.round(performance.now() - since);
  const write = (value: unknown) => void stream.write(`${JSON.stringify(value)}\n`);
  return {
    begin(title) {
      step = title;
      start = performance.now();
      commands = [];
    },
    tell() {},
    command: (line) => void commands.push(line),
    table() {},
    done: (summary, data = {}) => write({ step, ok: true, summary, tookMs: took(start), commands, ...data }),
    failed: (reason) => write({ step, ok: false, reason, tookMs: took(start), commands }),
    verdict: (_verdict, _title, _beneath, data) => write(data),
    end: (summary) => write({ done: summary, tookMs: took(began) }),
    note: (text) => write({ note: text }),
  };
}

/** Rows as columns with a heading, numbers to the right. */
function drawTable(rows: Record<string, string>[]): string[] {
  const names = Object.keys(rows[0] ?? {});
  const columns = names.map((name) => {
    const cells = rows.map((row) => row[name] ?? '');
    const width = Math.max(name.length, ...cells.map((cell) => cell.length));
    const numeric = cells.length > 0 && cells.every((cell) => /^-?[\d.,]+$/.test(cell));
    return { name, pad: (text: string) => (numeric ? text.padStart(width) : text.padEnd(width)), width };
  });
  return [
    columns
      .map(({ name, pad }) => pad(name))
      .join('  ')
      .trimEnd(),
    columns.map(({ width }) => '─'.repeat(width)).join('  '),
    ...rows.map((row) =>
      columns
        .map(({ name, pad }) => pad(row[name] ?? ''))
        .join('  ')
        .trimEnd(),
    ),
  ];
}
