import { globSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { readSourceTexts, type TextRole } from './source-strings.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');

/** One text that a user may read. */
export interface CatalogText {
  /** Where it stands: `renderer/accounts`. */
  folder: string;
  /** Its place in that folder's strings, `signOut.title`, or in its code, `issuer.ts:90 remedy`. */
  key: string;
  text: string;
  /** What it is for; only for a text in the code of `main/`. */
  role?: TextRole;
}

/** All texts of the window, the tray and notifications, and those in the code of `main/`: output, help, errors, findings. */
export async function readCatalog(): Promise<CatalogText[]> {
  return [...(await readStrings()), ...readSourceTexts()];
}

async function readStrings(): Promise<CatalogText[]> {
  const files = globSync('{renderer,main/desktop}/**/strings.ts', { cwd: ROOT }).sort();
  const texts = files.map(async (file) => {
    const { strings }: { strings: unknown } = await import(pathToFileURL(join(ROOT, file)).href);
    return textsIn(strings).map((each) => ({ folder: dirname(file).replaceAll('\\', '/'), ...each }));
  });
  return (await Promise.all(texts)).flat();
}

type Place = Pick<CatalogText, 'key' | 'text'>;

function textsIn(value: unknown, key = ''): Place[] {
  if (typeof value === 'string') return [{ key, text: value }];
  if (isMaker(value)) return filledIn(value).map((text) => ({ key, text }));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => textsIn(inner, key === '' ? name : `${key}.${name}`));
}

type Maker = (...filling: unknown[]) => unknown;

function isMaker(value: unknown): value is Maker {
  return typeof value === 'function';
}

/** What may be filled in: a name, one thing, several, and nothing if that is told apart. */
const FILLINGS = ['Name', 1, 2, null];

/** The texts that a function makes of them. One that a filling does not fit is left out. */
function filledIn(make: Maker): string[] {
  const made = FILLINGS.flatMap((filling): unknown[] => {
    try {
      return [make(...Array.from({ length: make.length }, () => filling))];
    } catch {
      return [];
    }
  });
  return [
    ...new Set(made.filter((text) => typeof text === 'string' && !/\b(null|NaN|undefined)\b/.test(text))),
  ] as string[];
}
