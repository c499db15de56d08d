/** The names that a chunk finds in scope where Node's own loader does not run it, as Node's CommonJS modules do. */
export const CHUNK_SCOPE = ['module', 'exports', 'require', '__filename'];

/** The file beside the chunks that holds all that a proxy may load, compressed. */
export const KEPT_CHUNKS = 'kept-chunks';
