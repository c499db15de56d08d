import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The files that take more than ten seconds, the longest first. */
const LONGEST = [
  'integration/proxy/service-sign-in',
  'integration/faults/matrix',
  'integration/faults/stopped',
  'integration/proxy/back-pressure',
  'integration/warehouses/faults',
  'integration/audit/audit',
  'integration/aggregate/all-servers',
  'integration/proxy/first-use',
  'integration/auth/cut-off-renewal',
  'integration/hub/boundary',
  'integration/proxy/two-users',
  'integration/policy/attempts',
  'integration/bridge/scenarios/streams',
  'integration/clients/bare-environment',
  'integration/auth/desktop-logout',
  'integration/cli/status',
  'integration/clients/files',
  'integration/auth/login',
  'integration/auth/killed',
  'integration/clients/killed',
  'integration/auth/many-processes',
  'integration/proxy/service-refusals',
  'unit/clients/editors.property',
];

/** Begins with what takes longest, so that no core waits for it at the end. Without earlier results, Vitest goes by size. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    // One project after another, as before: a process runs the files of one.
    const projects = [...new Set(sorted.map(({ project }) => project.name))];
    const place = ({ moduleId, project }: TestSpecification) => {
      const at = LONGEST.findIndex((name) => moduleId.endsWith(`${name}.test.ts`));
      return projects.indexOf(project.name) * 100 + (at < 0 ? LONGEST.length : at);
    };
    return sorted.toSorted((a, b) => place(a) - place(b));
  }
}
