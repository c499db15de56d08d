import { connect, type Socket } from 'node:net';
import { busCall, readMessages, socketPathIn } from './session-bus.ts';

/** The service through which panels show tray icons (the specification StatusNotifierItem). */
const WATCHER = 'org.kde.StatusNotifierWatcher';
const BUS = { destination: 'org.freedesktop.DBus', path: '/org/freedesktop/DBus', interface: 'org.freedesktop.DBus' };
const EVENTS = [
  `type='signal',sender='${BUS.destination}',interface='${BUS.interface}',member='NameOwnerChanged',arg0='${WATCHER}'`,
  `type='signal',interface='${WATCHER}',member='StatusNotifierHostRegistered'`,
];
/** The watcher and the panel appear one after the other; in milliseconds. */
const SETTLE_MS = 100;
/** How long the application waits for the bus at startup, in milliseconds. */
const BUS_WAIT_MS = 1_000;

/**
 * Watches for a panel that shows tray icons on Linux. At login it can start after the application, and it can restart later.
 * Electron looks for a panel only once, when the icon is created.
 * @param onPanel is called for each one that appears after the promise has resolved
 * @returns once it watches, or cannot
 */
export async function watchPanel(env: NodeJS.ProcessEnv, onPanel: () => void): Promise<void> {
  const path = process.platform === 'linux' ? socketPathIn(env) : undefined;
  if (path === undefined) return;
  const socket = connect({ path });
  let timer: NodeJS.Timeout | undefined;
  const appeared = () => {
    clearTimeout(timer);
    timer = setTimeout(onPanel, SETTLE_MS);
  };
  await new Promise<void>((resolve) => {
    // Without a bus there is no panel.
    socket.on('error', () => socket.destroy()).on('close', resolve);
    setTimeout(resolve, BUS_WAIT_MS).unref();
    watch(socket, { onReady: resolve, onPanel: appeared });
  });
  socket.unref();
}

function watch(socket: Socket, { onReady, onPanel }: { onReady: () => void; onPanel: () => void }): void {
  let serial = 0;
  const call = (member: string, ...body: string[]) => {
    serial += 1;
    socket.write(busCall({ ...BUS, member, serial, body }));
  };
  readMessages(socket, {
    onAuthenticated() {
      call('Hello');
      for (const event of EVENTS) call('AddMatch', event);
    },
    onMessage({ member, replyTo, body }) {
      if (replyTo !== undefined && replyTo === serial) onReady();
      // The name, its old owner and its new owner.
      if (member === 'NameOwnerChanged' && body[0] === WATCHER && body[2] !== '') onPanel();
      if (member === 'StatusNotifierHostRegistered') onPanel();
    },
  });
}
