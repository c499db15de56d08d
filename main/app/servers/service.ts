import { openServers } from '../../clients/servers.ts';
import { CausewayError, sentences } from '../../platform/errors.ts';
import { didYouMean, similarNames } from '../../platform/similar-names.ts';
import { serviceOf, servicePath } from '../../workspace/service-name.ts';
import type { ServiceSignIn } from '../../workspace/service-sign-in.ts';
import type { Causeway } from '../causeway.ts';

/**
 * The sign-in to the service behind a server in the list, or to the service of that name.
 * @throws {CausewayError} `not_found`, `profile_not_found`
 */
export async function findService(causeway: Causeway, name: string, profileName?: string): Promise<ServiceSignIn> {
  const { servers } = (await openServers(causeway.env)).initial;
  const server = servers.find((each) => each.name === name);
  const service = serviceOf(server?.path ?? servicePath(name));
  if (service === undefined) {
    const what = server
      ? `Server "${name}" is ${server.path}. It has no sign-in of its own.`
      : `There is no server and no service "${name}".`;
    const similar = server
      ? []
      : similarNames(
          name,
          servers.map((each) => each.name),
        );
    throw new CausewayError('not_found', what, {
      remedy: sentences(
        didYouMean(similar),
        'Use a server from `causeway servers`, or a service as CATALOG.SCHEMA.SERVICE.',
      ),
      candidates: servers.filter(({ path }) => serviceOf(path) !== undefined).map((each) => ({ name: each.name })),
    });
  }
  const [auth, services] = await Promise.all([causeway.auth(), causeway.services()]);
  return services.of(await auth.profile(profileName ?? server?.profile), service);
}
