import { sentences } from '../../platform/sentences.ts';
import type { CommandContext } from '../command.ts';
import { bold, columns, printable } from '../print.ts';
import { describeEffective } from '../warehouse/describe.ts';
import type { Application } from './application.ts';
import type { Status } from './status.ts';

/** The status as the lines of a screen. */
export function statusLines(found: Status, context: CommandContext): string[] {
  const { version, application, servers, clients, warehouse } = found;
  const section = (title: string, lines: readonly string[], none: string) => [
    bold(title, context),
    ...(lines.length > 0 ? lines : [none]).map((line) => `  ${printable(line)}`),
  ];
  const sessions = application.sessions === null ? [] : section('Sessions', sessionRows(found), 'none is open');
  return [
    ...section(`Causeway ${version}`, [applicationLine(application, version)], ''),
    ...sessions,
    ...section('Servers', servers.map(serverLine), 'none yet; add one with: causeway servers add sql'),
    ...section('AI clients', clients.flatMap(clientLines), 'none was found'),
    ...section('Warehouse', warehouseLines(warehouse), ''),
  ];
}

function applicationLine({ running, pid, version, sessions, problem }: Application, own: string): string {
  if (!running) return problem ?? 'not running: each AI client connects by itself';
  const other = version === null || version === own ? '' : `, version ${version}`;
  const unseen = sessions === null ? '; it is of a version that does not tell its sessions' : '';
  return `running (process ${pid}${other})${unseen}`;
}

function sessionRows({ application: { sessions }, servers }: Status): string[] {
  if (sessions === null || sessions.length === 0) return [];
  return columns([
    ['CLIENT', 'SERVER', 'SINCE', 'IN FLIGHT', 'DONE', 'FAILED'],
    ...sessions.map(({ client, pid, profile, path, since, calls }) => {
      const server = servers.find((each) => each.path === path && (profile === null || each.profile === profile));
      return [
        printable(client ?? `process ${pid}`),
        printable(`${server?.name ?? path}${profile === null ? '' : ` (${profile})`}`),
        timeOf(since),
        String(calls.inFlight),
        String(calls.done),
        String(calls.failed),
      ];
    }),
  ]);
}

/** The time of a day that has been, with the day where it is not today's. */
function timeOf(iso: string): string {
  const at = new Date(iso);
  const time = `${String(at.getHours()).padStart(2, '0')}:${String(at.getMinutes()).padStart(2, '0')}`;
  return at.toDateString() === new Date().toDateString() ? time : `${iso.slice(0, 10)} ${time}`;
}

function serverLine({ name, profile, message, remedy }: Status['servers'][number]): string {
  return `${name} (${profile}): ${sentences(message, remedy)}`;
}

/** One line for a client with one file, else one for each file. */
function clientLines({ name, files, problem }: Status['clients'][number]): string[] {
  if (problem !== null) return [`${name}: ${problem}`];
  return files.map((file) => {
    const states = Object.entries(file.entries).map(([server, state]) => `${server} ${ENTRY_WORDS[state] ?? state}`);
    const where = files.length > 1 ? ` (${file.path})` : '';
    return `${name}${where}: ${file.problem ?? (states.join(', ') || 'no entries')}`;
  });
}

/** As `causeway clients` words them. */
const ENTRY_WORDS: Record<string, string> = { current: 'there', absent: 'not there' };

function warehouseLines(warehouse: Status['warehouse']): string[] {
  if (!('error' in warehouse)) return describeEffective(warehouse);
  return [sentences(warehouse.error.message, warehouse.error.remedy)];
}
