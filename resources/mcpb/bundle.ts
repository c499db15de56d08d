import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type McpbManifestAny, packExtension, validateManifest } from '@anthropic-ai/mcpb';
import manifest from '../../package.json' with { type: 'json' };
import { ROOT } from '../notices/package-notice.ts';
import { writeCommand } from '../npm/command-package.ts';
import { keyringFor } from '../packaging/parts.ts';
import type { Target } from '../packaging/target.ts';

/** The systems that Claude Desktop runs on. */
export const TARGETS: readonly Target[] = [
  { platform: 'darwin', arch: 'arm64' },
  { platform: 'darwin', arch: 'x64' },
  { platform: 'win32', arch: 'arm64' },
  { platform: 'win32', arch: 'x64' },
];

/** Loads the keychain's native module instead of the npm package that chooses it. */
const KEYTAR = `const { arch, platform } = process;
module.exports = require('./keyring-' + platform + '-' + arch + '.node');
`;

const ICON = 'icon.png';
const START = 'server/start.cjs';
/** What stands for a setting, until Claude Desktop puts what its user has filled in there. */
const setting = (name: string) => `\${user_config.${name}}`;

/**
 * The extension's manifest (github.com/anthropics/mcpb › MANIFEST.md).
 * @param repository `owner/name` on GitHub, where it is known
 */
export function bundleManifest(repository: string | undefined): McpbManifestAny {
  return {
    manifest_version: '0.3',
    name: manifest.name,
    display_name: 'Databricks managed MCP servers (Causeway)',
    version: manifest.version,
    description: "A Databricks workspace's managed MCP servers: SQL, Genie, vector search, catalog functions.",
    long_description:
      'Causeway connects Claude to a managed MCP server of your Databricks workspace, through the sign-in of a Databricks CLI ' +
      'profile. Where the Causeway application runs, the extension shares its connection and its sign-in. It needs a profile in ' +
      '~/.databrickscfg: `databricks auth login` makes one, and so does Causeway.',
    author: { name: manifest.author },
    ...(repository && { repository: { type: 'git', url: `https://github.com/${repository}` } }),
    icon: ICON,
    license: manifest.license,
    keywords: ['databricks', 'sql', 'genie'],
    tools_generated: true,
    prompts_generated: true,
    server: {
      type: 'node',
      entry_point: START,
      mcp_config: {
        command: 'node',
        args: [`\${__dirname}/${START}`],
        env: {
          CAUSEWAY_EXTENSION_PROFILE: setting('profile'),
          CAUSEWAY_EXTENSION_SERVER: setting('server'),
        },
      },
    },
    user_config: {
      profile: {
        type: 'string',
        title: 'Profile',
        description: 'The profile in ~/.databrickscfg, as the Databricks CLI names it. Empty for the default one.',
        required: false,
        default: '',
      },
      server: {
        type: 'string',
        title: 'Server',
        description:
          '"sql", "genie", the path of another managed server such as /api/2.0/mcp/functions/main/default, or "all" for those that `causeway servers` lists.',
        required: false,
        default: 'sql',
      },
    },
    compatibility: { platforms: ['darwin', 'win32', 'linux'], runtimes: { node: manifest.engines.node } },
  };
}

/**
 * Packs the desktop extension, with the keychain's native module for these systems.
 * @throws Error where the manifest does not fit its schema
 */
export async function writeBundle(file: string, targets: readonly Target[], repository?: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'causeway-mcpb-'));
  try {
    await writeCommand(join(folder, 'server'));
    await copyFile(new URL('start.cjs', import.meta.url), join(folder, START));
    await copyFile(join(ROOT, 'resources', 'icons', '512x512.png'), join(folder, ICON));
    await writeKeytar(join(folder, 'server', 'node_modules', 'keytar'), targets);
    await writeFile(join(folder, 'manifest.json'), JSON.stringify(bundleManifest(repository), null, 2));
    if (!validateManifest(folder)) throw new Error("The extension's manifest does not fit its schema.");
    if (!(await packExtension({ extensionPath: folder, outputPath: file, silent: true }))) {
      throw new Error(`${file} could not be packed.`);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function writeKeytar(folder: string, targets: readonly Target[]): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), '{ "name": "keytar", "main": "index.js" }\n');
  await writeFile(join(folder, 'index.js'), KEYTAR);
  const work = await mkdtemp(join(tmpdir(), 'causeway-keyring-'));
  for (const target of targets) {
    const { platform, arch } = target;
    await copyFile(await keyringFor(target, work), join(folder, `keyring-${platform}-${arch}.node`));
  }
  await rm(work, { recursive: true, force: true });
}
