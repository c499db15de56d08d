import type { Causeway } from '../../causeway.ts';

/** The origins of the workspaces that the person has configured, in the file or by the environment. */
export async function configuredHosts(causeway: Causeway): Promise<string[]> {
  const auth = await causeway.auth();
  const entries = await auth.profiles();
  const listed = entries.flatMap((entry) => (entry.usable ? [entry.profile.host] : []));
  const byDefault = await auth.profile().then(
    ({ host }) => [host],
    () => [],
  );
  return [...new Set([...listed, ...byDefault])];
}
