/** The name in the MCP registry, in the namespace that belongs to the repository's owner. @param repository `owner/name` on GitHub */
export function registryName(repository: string): string {
  return `io.github.${repository}`;
}
