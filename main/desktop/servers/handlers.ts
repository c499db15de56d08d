import type { serverRequests } from '../../../preload/contract/servers.ts';
import { proposeServer } from '../../app/servers/change-list.ts';
import { findService } from '../../app/servers/service.ts';
import { serverPath } from '../../clients/servers.ts';
import { CausewayError } from '../../platform/errors.ts';
import { writeWholeFile } from '../../platform/replace-file.ts';
import type { DesktopContext, HandlersOf } from '../context.ts';
import { strings } from './strings.ts';
import { tableAsCsv } from './table.ts';

export function serverHandlers({
  causeway,
  servers,
  permissions,
  shell,
  jobs,
  emit,
}: DesktopContext): HandlersOf<typeof serverRequests> {
  return {
    findServers: ({ job, profile, search, isWhole, groups }) =>
      jobs.run(job, async (signal) => {
        const { leftOutOf, walkCatalog } = await import('../../workspace/catalog-walk.ts');
        const { client } = await causeway.open(profile);
        for await (const event of walkCatalog(client.rest, { groups, search, isWhole, signal })) {
          if (event.what === 'found') emit('serversFound', { job, servers: event.servers });
          if (event.what === 'end')
            return { leftOut: leftOutOf(event), isPartial: event.stopped !== null || event.failures.length > 0 };
        }
        throw new CausewayError('cancelled', strings.cancelled);
      }),
    proposeServer: (typed) => proposeServer(causeway, typed),
    addServer: async (server) => void (await servers.add(server)),
    findApp: async ({ profile, app }) => {
      const { appAddress } = await import('../../app/servers/apps.ts');
      return appAddress(causeway, profile, serverPath('app', app));
    },
    findAppOf: ({ name }) => servers.findAppOf(name),
    confirmApp: async ({ name, origin }) => void (await servers.confirmApp(name, origin)),
    startApp: ({ job, name }) =>
      jobs.run(job, async (signal) => {
        const onProgress = (words: string) => emit('toolProgress', { job, progress: 0, total: null, words });
        return void (await servers.startApp(name, { signal, onProgress }));
      }),
    moveServer: ({ name }) => servers.move(name, permissions),
    serverUsage: async () => servers.usage(),
    removeServer: async ({ name }) => void (await servers.remove(name)),
    checkServer: async ({ name }) => void (await servers.check(name)),
    signInToService: async ({ name }) => {
      const service = await findService(causeway, name);
      const { state } = await service.checkBeforeSignIn();
      if (state === 'signed-out') await service.begin({ asked: true });
      else await servers.check(name);
    },
    openServicePage: async ({ name }) => {
      const service = await findService(causeway, name);
      await service.open(service.url);
    },
    isSignedInToService: async ({ name }) => {
      const { state } = await (await findService(causeway, name)).check();
      return state === 'signed-in' ? true : state === 'signed-out' ? false : null;
    },
    signOutOfService: async ({ name }) => {
      await (await findService(causeway, name)).signOut();
    },
    listTools: ({ name }) => servers.tools(name),
    tryTool: ({ job, name, tool, arguments: args }) =>
      jobs.run(job, (signal) =>
        servers.call(name, tool, args, {
          signal,
          onProgress: ({ progress, total = null, message = '' }) =>
            emit('toolProgress', { job, progress, total, words: message }),
        }),
      ),
    openWorkspaceOf: async ({ name }) => void (await shell.openInBrowser((await servers.addressOf(name)).host)),
    copyServer: async ({ name, what }) => {
      if (what === 'sign-in-page') return void shell.copy((await findService(causeway, name)).url);
      const { url, path } = await servers.addressOf(name);
      return void shell.copy(what === 'path' ? path : url);
    },
    copyTable: async (table) => void shell.copy(tableAsCsv(table)),
    saveTable: async ({ name, ...table }) => {
      const kinds = [{ name: 'CSV', extensions: ['csv'] }];
      const file = await shell.chooseFileToSave({ title: strings.saveTitle, name: `${name}.csv`, kinds });
      if (file === null) return null;
      await writeWholeFile(file, tableAsCsv(table));
      return { file };
    },
  };
}
