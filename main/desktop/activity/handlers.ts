import type { activityRequests } from '../../../preload/contract/activity.ts';
import { jsonArrayLines } from '../../platform/json-array.ts';
import { writePieces } from '../../platform/replace-file.ts';
import type { DesktopContext } from '../context.ts';
import type { HandlersOf } from '../handlers.ts';
import { callLines, exportedCalls } from './export-calls.ts';

const OFFER = {
  title: 'Export calls',
  name: 'calls.csv',
  kinds: [
    { name: 'CSV', extensions: ['csv'] },
    { name: 'JSON', extensions: ['json'] },
  ],
};

/** What passed between AI clients and servers, for the one who looks. */
export function activityHandlers({ activity, shell, onClose }: DesktopContext): HandlersOf<typeof activityRequests> {
  onClose(() => activity.close());
  return {
    watchActivity: async ({ on }) => activity.watch(on),
    activityPage: async ({ filter, upTo, from, count }) => activity.ring.page(filter, upTo, from, count),
    latency: async ({ filter }) => activity.latency(filter),
    clearActivity: async () => void activity.clear(),
    exportActivity: async ({ filter, upTo, withContents }) => {
      const file = await shell.chooseFileToSave(OFFER);
      if (file === null) return null;
      const calls = [...activity.ring.newestFirst(filter, upTo)];
      const isJson = file.toLowerCase().endsWith('.json');
      const { contents } = activity.recording;
      const exported = exportedCalls(calls, withContents ? contents : null);
      await writePieces(file, isJson ? jsonArrayLines(exported) : callLines(exported, withContents));
      return { file, count: calls.length };
    },
  };
}
