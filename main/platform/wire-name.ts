/**
 * Whether what a client calls itself in `clientInfo.name` is a known name of its: the same, or the name with a server's
 * behind it (`qwen-cli-mcp-client-databricks-sql`). Case does not count.
 */
export function isWireName(sent: string, known: string): boolean {
  const [name, wireName] = [sent.trim().toLowerCase(), known.toLowerCase()];
  return name === wireName || (isServerSuffixed(wireName) && name.startsWith(`${wireName}-`));
}

/** Only Gemini CLI and its forks append a server's name: `cursor-…` may be any client. */
function isServerSuffixed(wireName: string): boolean {
  return wireName.endsWith('-cli-mcp-client');
}
