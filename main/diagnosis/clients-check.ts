import type { ClientReport } from '../clients/survey.ts';
import { MODIFIED } from '../clients/survey.ts';
import { type CheckFinding, fail, pass, skipped, warning } from './finding.ts';

/** Whether what was written into AI clients' files is there and right. */
export function clientsFinding(reports: readonly ClientReport[]): CheckFinding {
  const found = reports.filter(({ because }) => because !== null);
  const troubled = found.filter(
    ({ files, problem }) => problem !== undefined || files.some((file) => file.problem !== undefined),
  );
  const broken = found.filter(({ files }) =>
    files.some(
      ({ entries, leftOver }) =>
        leftOver.length > 0 || Object.values(entries).some((state) => MODIFIED.includes(state)),
    ),
  );
  const notOnPath = found.filter(({ files }) =>
    files.some(({ entries }) => Object.values(entries).includes('not-on-path')),
  );
  const connected = found.filter(({ files }) =>
    files.some(({ entries }) => Object.values(entries).some((state) => state === 'current' || state === 'outdated')),
  );
  if (troubled.length > 0) {
    const words = `These files cannot be used: ${namesOf(troubled)}.`;
    return fail(words, { action: { do: 'see-client-files' }, screen: 'clients' });
  }
  if (broken.length > 0) {
    const words = `Entries were changed or lead nowhere: ${namesOf(broken)}.`;
    return fail(words, { action: { do: 'repair-entries' }, screen: 'clients' });
  }
  if (notOnPath.length > 0) {
    const words = `Entries start a command that is not on the PATH: ${namesOf(notOnPath)}.`;
    const advice = 'Install the causeway command into a folder on the PATH, then restart the client.';
    return warning(words, { advice, screen: 'clients' });
  }
  if (found.length === 0) return skipped('No AI client was found on this computer.');
  if (connected.length === 0) {
    return warning('No AI client is connected yet.', { action: { do: 'connect-client' }, screen: 'clients' });
  }
  return pass(`All entries are as they should be: ${namesOf(connected)}.`);
}

function namesOf(reports: readonly ClientReport[]): string {
  return reports.map(({ name }) => name).join(', ');
}
