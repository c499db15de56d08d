import manifest from '../../package.json' with { type: 'json' };

/** Causeway's own version, as in package.json. */
export const VERSION: string = manifest.version;
