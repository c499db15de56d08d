import { readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { isIPv4 } from 'node:net';
import { endianness } from 'node:os';

/** The two ends of a connection, seen from this process. */
export interface Ends {
  localAddress?: string | undefined;
  localPort?: number | undefined;
  remoteAddress?: string | undefined;
  remotePort?: number | undefined;
}

/** The states of connections in the system's table (Linux, include/net/tcp_states.h). */
const ESTABLISHED = '01';
const LISTEN = '0A';
/** The user who has logged in, of a process that nobody's login has started (audit(7)). */
const NO_LOGIN = 4_294_967_295;
/** Any user whom the process's user namespace does not know (user_namespaces(7)). */
const OVERFLOW = 65_534;
/** The one user namespace that knows all. */
const ALL_USERS = /^\s*0\s+0\s+4294967295\s*$/;

/**
 * Whether the other end of a connection to this computer belongs to a program of the user who runs this process, or of the
 * user who has logged in and become another one. On Linux the system tells (proc(5) › /proc/net/tcp); elsewhere, and where it
 * does not, this is true. The superuser may do anything anyway, and forwards connections for others.
 */
export async function isOwnConnection({ socket }: Pick<IncomingMessage, 'socket'>): Promise<boolean> {
  if (process.platform !== 'linux') return true;
  const tables = await Promise.all([textOf('/proc/net/tcp'), textOf('/proc/net/tcp6')]);
  const peer = userOfPeer(tables.join('\n'), socket);
  if (peer === undefined) return true;
  return peer !== 'gone' && !socket.destroyed && isOwnUser(peer);
}

async function isOwnUser(user: number): Promise<boolean> {
  if (user === 0 || user === process.getuid?.()) return true;
  const [login, users] = await Promise.all([textOf('/proc/self/loginuid'), textOf('/proc/self/uid_map')]);
  if (user === OVERFLOW && !ALL_USERS.test(users)) return true;
  return login.trim() !== '' && Number(login) !== NO_LOGIN && Number(login) === user;
}

function textOf(file: string): Promise<string> {
  return readFile(file, 'utf8').catch(() => '');
}

/**
 * The user whose program has the other end of a connection.
 * @param table the lines of the system's tables of connections
 * @returns `gone` if that end is closed: nobody is known to have it then. Undefined if the tables do not say, such as in a
 * sandbox that shows none of this process's own connections.
 */
export function userOfPeer(table: string, ends: Ends): number | 'gone' | undefined {
  const { localAddress = '', localPort = 0, remoteAddress = '', remotePort = 0 } = ends;
  const here = spellingsOf(localAddress, localPort);
  const there = spellingsOf(remoteAddress, remotePort);
  const rows = table.split('\n').map((line) => line.trim().split(/\s+/));
  const isKnown = rows.some(([, local = '', , state]) => state === LISTEN && here.includes(local));
  if (!isKnown) return undefined;
  const peer = rows.find(
    ([, local = '', remote = '', state]) => state === ESTABLISHED && there.includes(local) && here.includes(remote),
  );
  const user = Number(peer?.[7]);
  return peer && Number.isInteger(user) ? user : 'gone';
}

/** An end of a connection as the tables write it, in that of IPv4 and in that of IPv6. */
function spellingsOf(address: string, port: number): string[] {
  const ports = port.toString(16).toUpperCase().padStart(4, '0');
  const bytes = bytesOf(address);
  const mapped = [...Array<number>(10).fill(0), 0xff, 0xff];
  const all = bytes.length === 4 ? [bytes, [...mapped, ...bytes]] : [bytes];
  return all.map((each) => `${wordsOf(each)}:${ports}`);
}

/** Four bytes each are written as one number, in the order of the processor. */
function wordsOf(bytes: readonly number[]): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 4) {
    const word = Buffer.from(bytes.slice(at, at + 4));
    text += (endianness() === 'LE' ? word.reverse() : word).toString('hex').toUpperCase();
  }
  return text;
}

function bytesOf(address: string): number[] {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '');
  if (isIPv4(plain)) return plain.split('.').map(Number);
  const [head = '', tail] = plain.split('::');
  const groups = (text: string) => text.split(':').filter(Boolean);
  const zeros = tail === undefined ? [] : Array<string>(8 - groups(head).length - groups(tail).length).fill('0');
  return [...groups(head), ...zeros, ...groups(tail ?? '')].flatMap((group) => {
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 0xff];
  });
}
