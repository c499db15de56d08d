import manifest from '../../package.json' with { type: 'json' };

/** A release whose files are public. */
export interface Release {
  version: string;
  /** `owner/name` on GitHub. */
  repository: string;
  /** The day, as `YYYY-MM-DD`. */
  date: string;
  dmg: ReleaseFile;
  installer: ReleaseFile;
  mcpb: ReleaseFile;
}

/** A file of the release: its name, and the SHA-256 of its bytes in lower-case hexadecimal. */
export interface ReleaseFile {
  name: string;
  sha256: string;
}

/** The name in the MCP registry, in the namespace that belongs to the repository's owner. @param repository `owner/name` on GitHub */
export function registryName(repository: string): string {
  return `io.github.${repository}`;
}

/** Where people look at the project. */
export function homepageOf({ repository }: Pick<Release, 'repository'>): string {
  return `https://github.com/${repository}`;
}

/** Where a file of the release is downloaded from. */
export function addressOf({ repository, version }: Pick<Release, 'repository' | 'version'>, name: string): string {
  return `https://github.com/${repository}/releases/download/v${version}/${name}`;
}

/** What Causeway is, in less than 80 characters: Homebrew takes no more, the MCP registry a few more. */
export const SHORT_DESCRIPTION = "Connects AI clients to a Databricks workspace's managed MCP servers";

export const { license: LICENSE, author: AUTHOR } = manifest;
