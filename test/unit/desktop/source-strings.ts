import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseSync } from 'vite';

const ROOT = join(import.meta.dirname, '..', '..', '..');

/**
 * What a text of the code is for: an error's message, its remedy, the description of a command or an option, a longer help,
 * or anything else, such as a line of output or a part of another text.
 */
export type TextRole = 'message' | 'remedy' | 'description' | 'help' | 'other';

/** One text in the TypeScript of `main/`. What is filled in stands in braces. */
export interface SourceText {
  folder: string;
  /** Its file, line and role: `oauth/issuer.ts:90 remedy`. */
  key: string;
  text: string;
  role: TextRole;
}

/** Not for people: what a shell, a browser, a build or a database reads. */
const FOREIGN = [
  'main/cli/completion/scripts.ts',
  'main/cli/vite.config.ts',
  'main/cli/completion/candidates.ts',
  'main/app/dashboard/queries.ts',
  'main/activity/schema.ts',
  'main/activity/store.ts',
  'main/activity/store-reader.ts',
];
/** The pages' style sheet and frame. */
const MARKUP = /^\s*(<!doctype|:root)/;
/** The texts in the code of `main/` that are not in a `strings.ts`, with the role that their place gives them. */
export function readSourceTexts(): SourceText[] {
  const files = globSync('main/**/*.ts', { cwd: ROOT }).map((file) => file.replaceAll('\\', '/'));
  return files
    .filter((file) => !FOREIGN.includes(file) && !file.endsWith('/strings.ts'))
    .sort()
    .flatMap(textsOf);
}

function textsOf(file: string): SourceText[] {
  const source = readFileSync(join(ROOT, file), 'utf8');
  const folder = file.split('/').slice(0, 2).join('/');
  const name = dirname(file) === 'main' ? file.slice('main/'.length) : file.slice(folder.length + 1);
  return new Collector(source)
    .collect(parseSync(file, source).program)
    .filter(({ text }) => isProse(text) && !MARKUP.test(text))
    .map(({ at, text, role }) => {
      const line = source.slice(0, at).split('\n').length;
      return { folder: dirname(file) === 'main' ? 'main' : folder, key: `${name}:${line} ${role}`, text, role };
    });
}

/** Two words beside what is filled in, or a sentence of one; not a key, a header or a path. */
function isProse(text: string): boolean {
  const words = text.replaceAll(/\{\w*\}/g, ' ').match(/(?<![\w/.-])\p{L}{2,}(?![\w/])/gu) ?? [];
  return (
    text.includes(' ') &&
    words.some((word) => /^\p{Ll}+$/u.test(word) || words.length > 1) &&
    (words.length > 1 || /[.!?]$/.test(text))
  );
}

interface Found {
  at: number;
  text: string;
  role: TextRole;
}

interface SyntaxNode {
  type: string;
  start: number;
  end: number;
  [property: string]: unknown;
}

/** Collects the string and template literals of a syntax tree. */
class Collector {
  readonly #source: string;
  readonly #found: Found[] = [];

  constructor(source: string) {
    this.#source = source;
  }

  collect(program: unknown): Found[] {
    this.#walk(program, 'other');
    return this.#found;
  }

  #walk(node: unknown, role: TextRole): void {
    if (Array.isArray(node)) for (const each of node) this.#walk(each, role);
    else if (isNode(node) && !isWithoutText(node.type)) this.#visit(node, role);
  }

  #visit(node: SyntaxNode, role: TextRole): void {
    switch (node.type) {
      case 'Literal':
        if (typeof node.value === 'string') this.#found.push({ at: node.start, text: node.value, role });
        break;
      case 'TemplateLiteral':
        this.#found.push({ at: node.start, text: this.#filledIn(node), role });
        this.#walk(node.expressions, 'other');
        break;
      // Both of what a condition chooses between have its role; the condition itself is no text.
      case 'ConditionalExpression':
        this.#walk(node.consequent, role);
        this.#walk(node.alternate, role);
        break;
      case 'LogicalExpression':
      case 'ArrowFunctionExpression':
        this.#inside(node, role);
        break;
      case 'Property':
        this.#walk(node.value, roleOfProperty(this.#text(node.key)));
        break;
      case 'VariableDeclarator':
        // The program of a thread is code, although it is written as a text.
        if (this.#text(node.id) !== 'THREAD') {
          this.#walk(node.init, this.#text(node.id).endsWith('HELP') ? 'help' : 'other');
        }
        break;
      case 'CallExpression':
      case 'NewExpression':
        this.#visitCall(node);
        break;
      default:
        this.#inside(node, 'other');
    }
  }

  #inside(node: SyntaxNode, role: TextRole): void {
    for (const [name, child] of Object.entries(node)) if (name !== 'type') this.#walk(child, role);
  }

  #visitCall(node: SyntaxNode): void {
    const callee = this.#text(node.callee);
    const roles = ROLES_OF_ARGUMENTS.find(([called]) => called.test(callee))?.[1] ?? [];
    this.#walk(node.callee, 'other');
    const values = Array.isArray(node.arguments) ? node.arguments : [];
    for (const [index, value] of values.entries()) {
      const role = roles[index] ?? 'other';
      if (role !== 'none') this.#walk(value, role);
    }
  }

  /** A template with the names of what is filled in: `{host} cannot be reached.` */
  #filledIn({ quasis, expressions }: SyntaxNode): string {
    const holes = Array.isArray(expressions) ? expressions.map((each) => this.#text(each)) : [];
    const pieces = Array.isArray(quasis) ? quasis : [];
    return pieces
      .map((piece, index) => `${cookedOf(piece)}${index < holes.length ? `{${shortName(holes[index])}}` : ''}`)
      .join('');
  }

  #text(node: unknown): string {
    return isNode(node) ? this.#source.slice(node.start, node.end) : '';
  }
}

/** What the arguments of a call are, by the end of what is called. */
const ROLES_OF_ARGUMENTS: readonly [called: RegExp, roles: readonly (TextRole | 'none')[]][] = [
  [/^(CausewayError|WorkspaceError|HubError)$/, ['none', 'message']],
  [/\.rephrased$/, ['none', 'message', 'remedy']],
  [/^usage$/, ['message', 'remedy']],
  [/\.description$/, ['description']],
  [/\.(option|version|argument)$|^(Option|Argument)$/, ['none', 'description']],
  [/\.addHelpText$/, ['none', 'help']],
  [/\.command$/, ['none']],
];

function roleOfProperty(key: string): TextRole {
  if (key === 'remedy' || key === 'advice') return 'remedy';
  if (key === 'does') return 'description';
  return 'other';
}

/** Types, what is imported, and comparisons with a text. */
function isWithoutText(type: string): boolean {
  if (['ImportDeclaration', 'ExportAllDeclaration', 'BinaryExpression'].includes(type)) return true;
  return type.startsWith('TS') && !['TSAsExpression', 'TSSatisfiesExpression', 'TSParameterProperty'].includes(type);
}

function cookedOf(piece: unknown): string {
  if (!isNode(piece) || typeof piece.value !== 'object' || piece.value === null) return '';
  return 'cooked' in piece.value && typeof piece.value.cooked === 'string' ? piece.value.cooked : '';
}

/** The last name of an expression: `name` of `this.#port.name`. */
function shortName(expression: string | undefined): string {
  return expression?.match(/^[\w.#?]*?(\w+)(\(.*\))?$/s)?.[1] ?? 'text';
}

function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}
