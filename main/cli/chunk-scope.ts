/** The names that a chunk of the single-file executable finds in scope, as Node's own CommonJS modules do. */
export const CHUNK_SCOPE = ['module', 'exports', 'require', '__filename'];

/** What the compiled form of a chunk is called beside it. */
export const COMPILED = '.compiled';
