import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { Bulk, Everyone } from '../../preload/contract.ts';
import { answered, problemIn } from '../shared/answered.ts';
import { useTold } from '../shared/told.ts';

const NOTHING: Everyone = {
  profile: null,
  status: 'unread',
  count: 0,
  dangling: 0,
  unknown: 0,
  access: 'unchecked',
  problem: null,
  revision: 0,
};

/** How far the reading of a profile's overrides has come. It begins with the screen, and stays with main. */
export function useEveryone(profile: string): { everyone: Everyone; readAnew(): void } {
  const [everyone, setEveryone] = useState(NOTHING);
  // An answer may be overtaken by the events that follow it.
  const show = (next: Everyone) => setEveryone((now) => (next.revision < now.revision ? now : next));
  const read = (anew: boolean) => {
    answered(window.causeway.request.readEveryone({ profile, anew })).then(show, (error: Error) =>
      setEveryone({ ...NOTHING, profile, status: 'failed', problem: problemIn(error) }),
    );
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: another profile is another list
  useEffect(() => {
    read(false);
    return window.causeway.on.everyoneChanged(show);
  }, [profile]);
  return { everyone: everyone.profile === profile ? everyone : NOTHING, readAnew: () => read(true) };
}

const BULK = ['bulk'];

/** The plan for many overrides that main holds, if there is one. */
export function useBulk(): Bulk | null {
  const { data = null } = useQuery({
    queryKey: BULK,
    queryFn: () => answered(window.causeway.request.getBulk()),
    gcTime: 0,
  });
  useTold(BULK, window.causeway.on.bulkChanged);
  return data;
}
