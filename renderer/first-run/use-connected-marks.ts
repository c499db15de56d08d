import { useEffect, useState } from 'react';
import type { Activity, ClientMark } from '../../preload/contract.ts';
import { unwrap } from '../shared/answered.ts';

/** Tells of which clients a session is, or was, open: by the mark that both have. */
export function useConnectedMarks(): (mark: ClientMark) => boolean {
  const [marks, setMarks] = useState<ReadonlySet<string>>(new Set());
  useEffect(() => {
    const { request, on } = window.causeway;
    const see = ({ sessions }: Activity) => {
      const seen = sessions.flatMap(({ mark }) => (mark === null ? [] : [JSON.stringify(mark)]));
      setMarks((before) => (seen.every((mark) => before.has(mark)) ? before : new Set([...before, ...seen])));
    };
    const stop = on.activityChanged(see);
    // Without an answer there is nothing to show.
    unwrap(request.watchActivity({ on: true })).then(see, () => undefined);
    return () => {
      stop();
      void request.watchActivity({ on: false });
    };
  }, []);
  return (mark) => marks.has(JSON.stringify(mark));
}
