import { fileURLToPath } from 'node:url';

/** Arguments of Node with which a program of TypeScript takes half as long to start from its second time on. */
export const COMPILED = ['--require', fileURLToPath(new URL('compile-cache.cjs', import.meta.url))];
