import { PassThrough } from 'node:stream';
import { parseConfig } from '../../auth/profiles/config-document.ts';
import { readConfig } from '../../auth/profiles/config-file.ts';
import { chooseProfile, listProfiles, type ProfileBook } from '../../auth/profiles/profiles.ts';
import { CLIENTS } from '../../clients/table.ts';
import { readBounded } from '../../platform/bounded-file.ts';
import { jsonIn } from '../../platform/json.ts';
import { type KnownName, namesIn, rememberedNames } from '../../platform/name-memory.ts';
import { configFilePath, serverListPath } from '../../platform/paths.ts';
import type { CommandContext } from '../command.ts';
import { buildProgram, commandFirst } from '../commands.ts';
import { leadingFlags } from '../global-flags.ts';
import { type Completion, complete, type KnownNames } from './candidates.ts';

/**
 * `causeway __complete`, which the scripts of `causeway completion` run at each Tab: `bash LINE POINT WORDBREAKS`, or
 * another shell's name, `=` and the word at the cursor, and the words before it. Prints `words`, `files` or `folders`, and
 * a line for each candidate, with its description behind a tab. Reads files of this computer only, and never fails.
 */
export async function printCompletion([shell = '', ...args]: string[]): Promise<void> {
  try {
    process.stdout.write(await completionFor(shell, args, process.env));
  } catch {
    // An error would be of no use to a user who presses Tab.
  }
}

async function completionFor(shell: string, args: string[], env: NodeJS.ProcessEnv): Promise<string> {
  const line = shell === 'bash' ? readBashLine(args) : undefined;
  const [current = '', ...typed] = line ? [line.current, ...line.words] : [args[0]?.slice(1), ...args.slice(1)];
  const program = buildProgram(unusedContext(env));
  const words = commandFirst(program, typed);
  const found = complete(program, leadingFlags(words).rest, current, await knownNames(env, words));
  if (!line) return asLines(found);
  if (found.kind !== 'words') return asLines(found);
  const candidates = found.candidates.map((each) => ({ value: quoteForBash(each.value, line), description: '' }));
  return asLines({ kind: 'words', candidates });
}

function asLines(found: Completion): string {
  const lines =
    found.kind === 'words' ? found.candidates.map(({ value, description }) => `${value}\t${description}`) : [];
  return `${[found.kind, ...lines].join('\n')}\n`;
}

/** The profile on the command line. Only its workspace's names can be meant. */
function profileIn(words: readonly string[]): string | undefined {
  const at = words.findLastIndex((word) => word === '--profile' || word === '-p');
  const assigned = words.findLast((word) => word.startsWith('--profile='));
  return at === -1 ? assigned?.slice('--profile='.length) : words[at + 1];
}

async function knownNames(env: NodeJS.ProcessEnv, words: readonly string[]): Promise<KnownNames> {
  const profile = profileIn(words);
  const path = configFilePath(env);
  const book: ProfileBook = { document: await readConfig(path).catch(() => parseConfig('')), path, env };
  const [remembered, list] = await Promise.all([
    rememberedNames(env, chosen(book, profile)),
    readBounded(serverListPath(env), 'own').catch(() => undefined),
  ]);
  const { servers } = Object(jsonIn(String(list)));
  return {
    profiles: listProfiles(book).map(
      (entry): KnownName => ({ name: entry.name, id: entry.usable ? entry.profile.host : '' }),
    ),
    servers: namesIn(servers, 'path'),
    clients: CLIENTS.map(asKnown),
    namedClients: CLIENTS.filter(({ wireNames }) => wireNames.length > 0).map(asKnown),
    tools: words[0] === 'permissions' ? await toolsOf(servers, words, book) : [],
    ...remembered,
  };
}

function asKnown({ id, name }: { id: string; name: string }): KnownName {
  return { name: id, id: name };
}

/** The tools of the first server on the command line, as it last listed them. */
async function toolsOf(servers: unknown, words: readonly string[], book: ProfileBook): Promise<KnownName[]> {
  const paths = namesIn(servers, 'path');
  const profiles = namesIn(servers, 'profile');
  const at = paths.findIndex(({ name }) => words.includes(name));
  const [path, profile] = [paths[at]?.id, profiles[at]?.id];
  const entry = listProfiles(book).find(({ name }) => name === profile);
  if (path === undefined || profile === undefined || !entry?.usable) return [];
  const { lastListedTools } = await import('../../bridge/answer-store.ts');
  const tools = await lastListedTools(book.env, { host: entry.profile.host, path, profile });
  return (tools ?? []).map(({ name }) => ({ name }));
}

function chosen(book: ProfileBook, profile: string | undefined): string {
  try {
    return chooseProfile({ ...book, takesOnlyProfile: true }, profile);
  } catch {
    return profile ?? '';
  }
}

/** A context for building the program, whose commands do not run here. */
function unusedContext(env: NodeJS.ProcessEnv): CommandContext {
  const nowhere = new PassThrough();
  const refuse = () => {
    throw new Error('No command runs while one is completed.');
  };
  const { signal } = new AbortController();
  return {
    stdin: nowhere,
    stdout: nowhere,
    stderr: nowhere,
    env,
    quiet: false,
    signal,
    causeway: refuse,
    inHome: refuse,
    setExitCode: refuse,
  };
}

/** A bash command line up to the cursor, and the part of it that bash will replace. */
export interface BashLine {
  /** The whole words before the cursor, without the program's name. */
  words: string[];
  /** The word at the cursor, without quotes. */
  current: string;
  /** How many characters of `current` are before the part that bash replaces. */
  kept: number;
  /** The quote that is open at the cursor. */
  quote: '"' | "'" | undefined;
}

/**
 * Reads what bash gives to a completion: COMP_LINE, COMP_POINT (in bytes) and COMP_WORDBREAKS. Bash splits words at
 * characters such as `:` and `@`, which names may hold, and replaces only what is behind the last of them.
 */
export function readBashLine([line = '', point = '', breaks = '']: readonly string[]): BashLine {
  const text = Buffer.from(line).subarray(0, Number(point)).toString('utf8');
  const words: string[] = [];
  let word: Omit<BashLine, 'words'> | undefined;
  for (const token of text.match(BASH_TOKENS) ?? []) {
    if (/^\s/.test(token)) {
      if (word) words.push(word.current);
      word = undefined;
    } else word = withToken(word, token, breaks);
  }
  return { current: '', kept: 0, quote: undefined, ...word, words: words.slice(1) };
}

/** Blanks, a quoted part (whose end may be missing), an escaped character, or what is none of these. */
const BASH_TOKENS = /\s+|'[^']*'?|"(?:\\[\s\S]?|[^"\\])*"?|\\[\s\S]?|[^\s'"\\]+/g;

/** A word and what follows it without a blank between. */
function withToken(word: Omit<BashLine, 'words'> | undefined, token: string, breaks: string): Omit<BashLine, 'words'> {
  const { current = '', kept = 0 } = word ?? {};
  const first = token.charAt(0);
  if (first === '\\') return { current: current + token.slice(1), kept, quote: undefined };
  if (first === '"' || first === "'") {
    const isClosed = /^'[^']*'$|^"(?:\\[\s\S]|[^"\\])*"$/.test(token);
    const inner = token.slice(1, isClosed ? -1 : undefined);
    // Between double quotes, it escapes few characters (Bash Reference Manual, 3.1.2.3).
    const read = current + (first === '"' ? inner.replace(/\\([$`"\\\n]|$)/g, '$1') : inner);
    return isClosed
      ? { current: read, kept: read.length, quote: undefined }
      : { current: read, kept: current.length, quote: first };
  }
  const lastBreak = Math.max(...Array.from(breaks, (character) => token.lastIndexOf(character)), -1);
  return { current: current + token, kept: lastBreak === -1 ? kept : current.length + lastBreak + 1, quote: undefined };
}

/** A candidate as bash is to insert it: whatever it holds, it is one word, and nothing in it is run. */
export function quoteForBash(value: string, { kept, quote }: BashLine): string {
  const inserted = value.slice(kept);
  if (quote === "'") return inserted.replaceAll("'", String.raw`'\''`);
  if (quote === '"') return inserted.replace(/["$`\\!]/g, String.raw`\$&`);
  return inserted.replace(/[^\p{L}\p{N}\p{M}_.,:/@%+=-]/gu, String.raw`\$&`);
}
