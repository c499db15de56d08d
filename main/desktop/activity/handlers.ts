import type { activityRequests } from '../../../preload/contract/activity.ts';
import type { contentsRequests } from '../../../preload/contract/activity-contents.ts';
import { ALL_CALLS } from '../../../preload/contract/all-calls.ts';
import { managedError } from '../../permissions/policy/policy.ts';
import { currentPolicy } from '../../permissions/policy/system-policy.ts';
import { CausewayError } from '../../platform/errors.ts';
import { jsonArrayLines } from '../../platform/json-array.ts';
import { writeOutsidePieces } from '../../platform/outside-file.ts';
import { statementPage } from '../../workspace/pages.ts';
import type { DesktopContext, HandlersOf } from '../context.ts';
import { callLines, exportedCalls } from './export-calls.ts';
import { contentsAsText, readContents } from './read-contents.ts';
import { isForbidden } from './recorded-contents.ts';
import { strings } from './strings.ts';

const EXPORT_OFFER = {
  title: strings.exportTitle,
  name: strings.exportName,
  kinds: [
    { name: 'CSV', extensions: ['csv'] },
    { name: 'JSON', extensions: ['json'] },
  ],
};

/** Answers the Activity screen's requests. */
export function activityHandlers({
  activity,
  causeway,
  settings,
  shell,
  onClose,
}: DesktopContext): HandlersOf<typeof activityRequests> {
  onClose(() => activity.close());
  const statementOf = async (id: number) => {
    const call = await activity.find(id);
    if (call?.statement) return { profile: call.profile ?? undefined, statement: call.statement };
    throw new CausewayError('not_found', 'This call is no longer in the list.');
  };
  return {
    watchActivity: async ({ on }) => activity.watch(on),
    activityPage: async ({ filter, upTo, from, count }) => activity.page(filter, upTo, from, count),
    activityCall: async ({ id }) => (await activity.find(id)) ?? null,
    openStatement: async ({ id }) => {
      const { profile, statement } = await statementOf(id);
      const place = await (await causeway.auth()).profile(profile);
      await shell.openInBrowser(statementPage(place, statement.id, statement.record?.startedAt ?? null));
    },
    cancelStatement: async ({ id }) => {
      const { profile, statement } = await statementOf(id);
      await (await causeway.open(profile)).client.statements.cancel(statement.id);
      activity.lookUp?.(profile, statement.id);
    },
    latency: async ({ filter }) => activity.latency(filter),
    dayOfCalls: async ({ filter }) => activity.day(filter),
    getCallFilter: async () => settings.callFilter ?? ALL_CALLS,
    keepCallFilter: async (filter) => void settings.remember({ callFilter: filter }),
    deleteCalls: async (which) => void (await activity.delete(which)),
    exportActivity: async ({ filter, upTo, withContents }) => {
      const file = await shell.chooseFileToSave(EXPORT_OFFER);
      if (file === null) return null;
      const isJson = file.toLowerCase().endsWith('.json');
      const { contents } = activity.recording;
      let count = 0;
      const counted = async function* () {
        for await (const call of activity.matching(filter, upTo)) {
          count += 1;
          yield call;
        }
      };
      const exported = exportedCalls(counted(), withContents ? contents : null);
      const pieces = isJson ? jsonArrayLines(exported) : callLines(exported, withContents);
      await writeOutsidePieces(file, pieces, isJson ? 'json' : 'text');
      return { file, count };
    },
  };
}

/** Answers the requests about recorded contents. */
export function contentsHandlers({
  activity: { recording },
  shell,
}: DesktopContext): HandlersOf<typeof contentsRequests> {
  const { contents: recorded } = recording;
  return {
    recordContents: async ({ durationMs }) => {
      const policy = await currentPolicy();
      if (isForbidden(policy)) throw managedError(policy, 'recordContents', 'the contents of calls are not recorded');
      recording.start(durationMs);
    },
    stopRecording: async () => void recording.stop(),
    callContents: async ({ contents }) => readContents(recorded.at(contents)),
    copyContents: async ({ contents }) => void shell.copy(contentsAsText(recorded.at(contents))),
  };
}
