import { useEffect, useState } from 'react';
import type { ClientMark } from '../../preload/contract.ts';
import { useActivity } from '../activity/use-activity.ts';

/** Tells of which clients a session is, or was, open: by the mark that both have. */
export function useConnectedMarks(): (mark: ClientMark) => boolean {
  const [marks, setMarks] = useState<ReadonlySet<string>>(new Set());
  const activity = useActivity();
  useEffect(() => {
    const seen = (activity?.sessions ?? []).flatMap(({ mark }) => (mark === null ? [] : [JSON.stringify(mark)]));
    setMarks((before) => (seen.every((mark) => before.has(mark)) ? before : new Set([...before, ...seen])));
  }, [activity]);
  return (mark) => marks.has(JSON.stringify(mark));
}
