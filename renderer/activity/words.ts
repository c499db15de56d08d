import type { AttachedProxy } from '../../preload/contract.ts';

/** The kinds of server by the beginning of their path (spec/managed-mcp-endpoints.md › Endpoints), and how each is called. */
const KINDS: [prefix: string, words: (rest: string) => string][] = [
  ['/api/2.0/mcp/sql', () => 'SQL'],
  ['/api/2.0/mcp/genie/', (space) => `Genie space ${space}`],
  ['/api/2.0/mcp/functions/', (names) => `Functions of ${dotted(names)}`],
  ['/api/2.0/mcp/vector-search/', (names) => `Vector search in ${dotted(names)}`],
];

/** A server's path as people call it; the path itself where its kind is new. */
export function serverInWords(path: string): string {
  const kind = KINDS.find(([prefix]) => path === prefix || (prefix.endsWith('/') && path.startsWith(prefix)));
  return kind ? kind[1](path.slice(kind[0].length)) : path;
}

export function clientInWords({ client }: AttachedProxy): string {
  return client ?? 'An AI client';
}

function dotted(names: string): string {
  return names.split('/').filter(Boolean).join('.');
}
