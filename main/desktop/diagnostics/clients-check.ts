import { openServers } from '../../clients/servers.ts';
import { SPOILT } from '../../clients/state.ts';
import type { ClientReport } from '../../clients/survey.ts';
import { openDesktopClients } from '../clients/service.ts';
import { type Finding, fail, pass, skipped, TO_CLIENTS, warning } from './finding.ts';

/** Looks at the files of all AI clients on this computer. */
export async function surveyClients(env: NodeJS.ProcessEnv): Promise<ClientReport[]> {
  const { servers } = (await openServers(env)).read();
  return openDesktopClients(env).survey(servers);
}

/** Whether what was written into AI clients' files is there and right. */
export function clientsFinding(reports: readonly ClientReport[]): Finding {
  const found = reports.filter(({ because }) => because !== null);
  const troubled = found.filter(
    ({ files, problem }) => problem !== undefined || files.some((file) => file.problem !== undefined),
  );
  const broken = found.filter(({ files }) =>
    files.some(
      ({ entries, leftOver }) => leftOver.length > 0 || Object.values(entries).some((state) => SPOILT.includes(state)),
    ),
  );
  const connected = found.filter(({ files }) =>
    files.some(({ entries }) => Object.values(entries).some((state) => state === 'current' || state === 'outdated')),
  );
  if (troubled.length > 0) {
    return fail(`These files cannot be used: ${namesOf(troubled)}.`, 'See what is wrong with them.', TO_CLIENTS);
  }
  if (broken.length > 0) {
    return fail(`Entries were changed or lead nowhere: ${namesOf(broken)}.`, 'Repair them.', TO_CLIENTS);
  }
  if (found.length === 0) return skipped('No AI client was found on this computer.');
  if (connected.length === 0) return warning('No AI client is connected yet.', 'Connect one.', TO_CLIENTS);
  return pass(`All entries are as they should be: ${namesOf(connected)}.`);
}

function namesOf(reports: readonly ClientReport[]): string {
  return reports.map(({ name }) => name).join(', ');
}
