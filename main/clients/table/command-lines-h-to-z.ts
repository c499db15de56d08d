import type { ClientFacts } from '../client.ts';
import { plain } from '../entry.ts';

/** Clients of the terminal, from opencode to Qwen Code. */
export const COMMAND_LINES_H_TO_Z: ClientFacts[] = [
  {
    id: 'opencode',
    name: 'opencode',
    signs: ({ xdgConfig }) => [{ exists: xdgConfig('opencode') }, { command: 'opencode' }],
    files: ({ xdgConfig }) => [
      { role: 'main', path: xdgConfig('opencode', 'opencode.jsonc'), if: xdgConfig('opencode', 'opencode.jsonc') },
      { role: 'main', path: xdgConfig('opencode', 'opencode.json') },
    ],
    format: 'json',
    key: ['mcp'],
    stdio: ({ command, args }) => ({
      fixed: { type: 'local', command: [command, ...args] },
      initial: { enabled: true },
    }),
    http: ({ url, clientId }) => ({
      fixed: { type: 'remote', url, ...(clientId === undefined ? {} : { oauth: { clientId } }) },
      initial: { enabled: true },
    }),
    afterwards: 'Restart opencode.',
    accepts: { comments: true, trailingCommas: true, byteOrderMark: true },
  },
  {
    id: 'qwen',
    name: 'Qwen Code',
    signs: ({ inHome }) => [{ exists: inHome('.qwen') }, { command: 'qwen' }],
    files: ({ inHome }) => [{ role: 'main', path: inHome('.qwen', 'settings.json') }],
    format: 'json',
    key: ['mcpServers'],
    stdio: plain,
    http: ({ url, clientId }) => ({
      fixed: { httpUrl: url, ...(clientId === undefined ? {} : { oauth: { enabled: true, clientId } }) },
    }),
    afterwards: 'Restart it.',
    accepts: { comments: true, trailingCommas: false, byteOrderMark: true },
    toolNames: { prefix: () => '', limit: 63 },
  },
];
