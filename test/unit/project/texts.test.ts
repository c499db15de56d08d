import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from './markdown.ts';

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const files = globSync(['main/**/*.ts', 'preload/**/*.ts', 'renderer/**/*.{ts,tsx}'], { cwd: ROOT });
const texts = files.filter((file) => file.endsWith('/strings.ts'));
const code = files
  .filter((file) => !texts.includes(file))
  .map(read)
  .join('\n');
const words = new Set(code.match(/[\w$-]+/g));
/** Names that are looked up by a value, such as `strings.states[state]`, and what they are called when taken from it first. */
const lookedUp = new Set(Array.from(code.matchAll(/(\w+)\)?\[/g), ([, name]) => name));
const passedOn = new Set(
  Array.from(code.matchAll(/(?:strings|words)(?:\.\w+)*\.(\w+)(?=[;,)}\s])/g), ([, name]) => name),
);

/** The names in a file of texts that nothing names, unless one around them is looked up by a value or passed on whole. */
function unused(text: string): string[] {
  const around: { name: string; indent: number }[] = [];
  return text.split('\n').flatMap((line) => {
    const [, space = '', name] = /^( +)'?([\w$-]+)'?: /.exec(line) ?? [];
    if (name === undefined) return [];
    while ((around.at(-1)?.indent ?? -1) >= space.length) around.pop();
    const isReached = around.some((outer) => lookedUp.has(outer.name) || passedOn.has(outer.name));
    around.push({ name, indent: space.length });
    return isReached || words.has(name) ? [] : [name];
  });
}

describe.each(texts)('%s', (file) => {
  it('holds no text that nobody shows', () => {
    expect(unused(read(file))).toEqual([]);
  });
});
