import type { contentsRequests } from '../../../../preload/contract/activity-contents.ts';
import type { DesktopContext } from '../../context.ts';
import type { HandlersOf } from '../../handlers.ts';
import { contentsAsText, readContents } from './read-contents.ts';

/** What was asked and answered, for the one who has turned its recording on. */
export function contentsHandlers({
  activity: { recording },
  shell,
}: DesktopContext): HandlersOf<typeof contentsRequests> {
  const { contents: recorded } = recording;
  return {
    recordContents: async ({ minutes }) => void recording.start(minutes),
    stopRecording: async () => void recording.stop(),
    callContents: async ({ contents }) => readContents(recorded.at(contents)),
    copyContents: async ({ contents }) => void shell.copy(contentsAsText(recorded.at(contents))),
  };
}
