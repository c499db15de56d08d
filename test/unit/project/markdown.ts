import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the project. */
export const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** What a build or an installation makes: not part of the project, and not there in a fresh checkout. */
export const BUILT = ['node_modules', 'out', 'dist', 'coverage'];

/** One Markdown file of the project. */
export interface MarkdownDocument {
  /** Its path, from the project's folder. */
  name: string;
  /** The absolute path of its folder. */
  folder: string;
  text: string;
}

/** A fenced block of code. */
export interface Fence {
  language: string;
  text: string;
}

const FENCE = /^(`{3,})([^\n`]*)\n(.*?)^\1`*[ \t]*$/gms;

/** Every Markdown file of the project, `.github/` included. */
export async function markdownDocuments(): Promise<MarkdownDocument[]> {
  const names = globSync(['**/*.md', '.github/**/*.md'], {
    cwd: ROOT,
    exclude: (name) => BUILT.includes(name),
  });
  return await Promise.all(
    [...new Set(names.map((name) => name.replaceAll('\\', '/')))].sort().map(async (name) => ({
      name,
      folder: join(ROOT, dirname(name)),
      text: await readFile(join(ROOT, name), 'utf8'),
    })),
  );
}

export function fencesOf(text: string): Fence[] {
  return [...text.matchAll(FENCE)].map(([, , language = '', code = '']) => ({ language: language.trim(), text: code }));
}

/** The text without its fenced code. */
function proseOf(text: string): string {
  return text.replaceAll(FENCE, '');
}

/** The code that stands within lines of text. */
export function inlineCodeOf(text: string): string[] {
  return [...proseOf(text).matchAll(/(?<!`)`([^`]+)`(?!`)/g)].map(([, code = '']) => code.replaceAll(/\s+/g, ' '));
}

/** The addresses of all links and pictures. */
export function linksOf(text: string): string[] {
  const prose = proseOf(text).replaceAll(/`[^`\n]*`/g, '');
  const inline = [...prose.matchAll(/\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)/g)];
  const defined = [...prose.matchAll(/^\s{0,3}\[[^\]]+\]:\s+<?([^\s>]+)>?/gm)];
  return [...inline, ...defined].map(([, target = '']) => target);
}

/** The ids that GitHub gives a page's headings. */
export function headingIds(text: string): string[] {
  const seen = new Map<string, number>();
  return [...proseOf(text).matchAll(/^#{1,6} (.+?)(?: #+)?$/gm)].map(([, heading = '']) => {
    const id = heading
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-');
    const times = seen.get(id) ?? 0;
    seen.set(id, times + 1);
    return times === 0 ? id : `${id}-${times}`;
  });
}
