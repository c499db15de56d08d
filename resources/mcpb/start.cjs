/**
 * What Claude Desktop starts: `causeway proxy`, as the extension's settings say. They come in the environment, where an empty one
 * stays empty; one that was never set arrives as its placeholder.
 */
const { join } = require('node:path');

const { CAUSEWAY_EXTENSION_PROFILE, CAUSEWAY_EXTENSION_SERVER } = process.env;

const profile = chosen(CAUSEWAY_EXTENSION_PROFILE);
const server = chosen(CAUSEWAY_EXTENSION_SERVER) ?? 'sql';

/** @param {string | undefined} value */
function chosen(value) {
  const text = value?.trim() ?? '';
  return text === '' || text.startsWith('${') ? undefined : text;
}

/** @param {string} name */
function argumentsFor(name) {
  if (name === 'all') return ['--all'];
  if (name === 'sql' || name === 'genie') return ['--path', `/api/2.0/mcp/${name}`];
  return name.startsWith('https://') ? ['--url', name] : ['--path', name];
}

process.argv = [
  process.argv[0],
  process.argv[1],
  'proxy',
  ...argumentsFor(server),
  ...(profile ? ['--profile', profile] : []),
];
// It is there in the extension, and not here.
require(join(__dirname, 'cli', 'causeway.js'));
