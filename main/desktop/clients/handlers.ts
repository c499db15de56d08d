import type { clientRequests } from '../../../preload/contract/clients.ts';
import type { DesktopContext } from '../context.ts';
import type { HandlersOf } from '../handlers.ts';
import { Clients } from './clients.ts';

export function clientHandlers(context: DesktopContext): HandlersOf<typeof clientRequests> {
  const clients = new Clients(context);
  return {
    listClients: () => clients.list(),
    previewClientChange: (change) => clients.change(change, { dryRun: true }),
    changeClients: (change) => clients.change(change),
    listClientBackups: () => clients.backups(),
    previewClientRestore: ({ id }) => clients.restore(id, { dryRun: true }),
    restoreClientBackup: async ({ id, whileRunning }) => void (await clients.restore(id, { whileRunning })),
    clientJson: async ({ client }) => ({ text: await clients.json(client) }),
    copyClientJson: async ({ client }) => void context.shell.copy(await clients.json(client)),
    chooseProject: async () => ({ folder: await context.shell.chooseFolder({ title: 'Choose the project’s folder' }) }),
    openInClient: async ({ client, server }) => void (await clients.openInClient(client, server)),
  };
}
