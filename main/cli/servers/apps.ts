import { isAppPath } from '../../../preload/contract/server-kinds.ts';
import { appOf } from '../../../preload/contract/server-path.ts';
import type { Profile } from '../../auth/auth.ts';
import { checkedServerPath, parseMeta } from '../../clients/server-arguments.ts';
import {
  findServer,
  type ManagedServer,
  openServers,
  type ServerList,
  serverPath,
  suggestName,
  withConfirmed,
  withServer,
} from '../../clients/servers.ts';
import { CausewayError } from '../../platform/errors.ts';
import { appOrigin, findApp, haltOf } from '../../workspace/app-access.ts';
import { isUsualAppAddress } from '../../workspace/app-name.ts';
import { startApp } from '../../workspace/app-start.ts';
import type { RestClient } from '../../workspace/client.ts';
import type { CommandContext } from '../command.ts';
import { confirm, openProgress, printable, writeJson, writeLine } from '../terminal.ts';
import { type AddServerOptions, addServer, describeServer } from './servers.ts';

/** `causeway servers add …`: adds an app (`app:NAME`, or its path), or any other server. */
export async function addAny(
  context: CommandContext,
  kind: string | undefined,
  target: string,
  options: AddServerOptions,
): Promise<void> {
  const name = kind === 'app' ? target : target === '' ? /^app:(.+)$/.exec(kind ?? '')?.[1] : undefined;
  if (name !== undefined && options.path === undefined) return addApp(context, serverPath('app', name), options);
  if (kind === undefined && options.path !== undefined && isAppPath(options.path)) {
    return addApp(context, checkedServerPath(options.path, '--path'), options);
  }
  return addServer(context, kind, target, options);
}

/**
 * `causeway servers add app:NAME`: shows the address that the workspace names for the app, and asks whether tokens may go
 * there. Where the app is a server already, and its address is another one now, asks the same again.
 */
async function addApp(context: CommandContext, path: string, options: AddServerOptions): Promise<void> {
  const { stdout, stderr, signal } = context;
  const meta = options.meta && parseMeta(options.meta);
  const causeway = context.causeway();
  const auth = await causeway.auth();
  const { profile, client } = await causeway.open(options.profile);
  // If no app accepts the profile's tokens, say so before asking for consent.
  await auth.appTokens(profile).token({ signal });
  const app = await findApp(client, appOf(path)?.name ?? '', signal);
  const confirmed = appOrigin(app, profile);
  const list = await openServers(context.env);
  const present = list.read().servers.find((server) => server.profile === profile.name && server.path === path);
  if (present && options.name === undefined && present.confirmed === confirmed) {
    throw new CausewayError(
      'already_exists',
      `Server "${present.name}" is already app "${app.name}" with profile ${profile.name}.`,
      {
        remedy: 'To add it twice, give the second one a name with --name.',
        candidates: [{ name: present.name }],
      },
    );
  }
  await writeLine(stderr, printable(`App "${app.name}" is at ${confirmed}.`));
  if (present?.confirmed !== undefined && present.confirmed !== confirmed) {
    await writeLine(stderr, printable(`Confirmed so far: ${present.confirmed}.`));
  }
  if (!isUsualAppAddress(confirmed))
    await writeLine(stderr, 'This is not the usual form of a Databricks Apps address.');
  await writeLine(stderr, printable(`Its calls send the token of profile ${profile.name} to that address.`));
  if (!options.dryRun && !options.yes && !(await confirm(context, 'Allow this?', '--yes'))) {
    throw new CausewayError('cancelled', 'Nothing was added.');
  }
  let added: ManagedServer | undefined;
  const edit = (now: ServerList): ServerList => {
    const known = options.name === undefined ? now.servers.find(({ name }) => name === present?.name) : undefined;
    const name =
      options.name ??
      suggestName(
        { kind: 'app', path },
        now.servers.map((server) => server.name),
      );
    added = known
      ? { ...known, confirmed }
      : { name, profile: profile.name, kind: 'app', path, ...(meta ? { meta } : {}), confirmed };
    return withConfirmed(known ? now : withServer(now, added), added);
  };
  if (options.dryRun) edit(list.read());
  else await list.change(edit);
  if (!added) return;
  if (options.json) return writeJson(stdout, added);
  const did = present && options.name === undefined ? ['Would confirm', 'Confirmed'] : ['Would add', 'Added'];
  await writeLine(stdout, `${did[options.dryRun ? 0 : 1]} ${describeServer(added)}`);
  if (options.dryRun) return;
  const halt = haltOf(app);
  if (halt)
    await writeLine(
      stdout,
      printable(`It ${halt.words}.${halt.canStart ? ` Start it with \`causeway servers start ${added.name}\`.` : ''}`),
    );
  await writeLine(
    stdout,
    `Try it with \`causeway servers test ${added.name}\`. Add it to your clients with \`causeway clients add\`.`,
  );
}

/** `causeway servers start NAME`: starts a Databricks App, and waits until it runs. */
export async function startServer(
  context: CommandContext,
  name: string,
  options: { profile?: string; json?: boolean },
): Promise<void> {
  const { app, profile, client } = await findNamed(context, name, options.profile);
  const progress = openProgress(context, options.json);
  let wasStarted: boolean;
  try {
    wasStarted = await startApp(client, app, {
      signal: context.signal,
      onProgress: (words) => progress.say(printable(words)),
    });
  } finally {
    progress.end();
  }
  if (options.json) return writeJson(context.stdout, { app, profile: profile.name, wasStarted });
  await writeLine(context.stdout, printable(`App "${app}" ${wasStarted ? 'is running now' : 'is already running'}.`));
}

async function findNamed(
  context: CommandContext,
  name: string,
  profileName: string | undefined,
): Promise<{ app: string; profile: Profile; client: RestClient }> {
  const causeway = context.causeway();
  if (name.startsWith('app:')) return { app: name.slice('app:'.length), ...(await causeway.open(profileName)) };
  const server = findServer((await openServers(context.env)).atOpening, name);
  const app = appOf(server.path)?.name;
  if (app !== undefined) return { app, ...(await causeway.open(profileName ?? server.profile)) };
  throw new CausewayError('usage', `Server "${name}" is not an app. There is nothing to start.`, {
    remedy: 'A SQL warehouse starts with the first query.',
  });
}
