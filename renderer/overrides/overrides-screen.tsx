import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { Bulk, DesktopState, OverridesProgress } from '../../preload/contract.ts';
import { problemIn, unwrap } from '../shared/answered.ts';
import layout from '../shared/layout.module.css';
import { Notice } from '../shared/notice.tsx';
import { showScreen } from '../shared/screen.ts';
import { ScreenTitle } from '../shared/screen-head.tsx';
import { useSubscription } from '../shared/use-desktop-state.ts';
import { BulkView } from './bulk-view.tsx';
import { OverridesView } from './overrides-view.tsx';

/** The overrides of all users, for admins of the workspace. */
export function OverridesScreen({ state: { profile, warehouse } }: { state: DesktopState }) {
  if (profile === null || warehouse.status === 'unconfigured' || warehouse.status === 'signing-in') {
    return (
      <div className={layout.screen}>
        <ScreenTitle>Overrides</ScreenTitle>
        <Notice
          tone="note"
          message="There is nobody to show yet."
          remedy="Once you are signed in to a workspace, its admins see here which warehouse everybody’s queries run on, and can change it."
        >
          <Button variant="default" onClick={() => showScreen('accounts')}>
            Show accounts
          </Button>
        </Notice>
      </div>
    );
  }
  return <OfProfile key={profile} profile={profile} />;
}

function OfProfile({ profile }: { profile: string }) {
  const { overrides, readAnew } = useAllOverrides(profile);
  const bulk = useBulk();
  if (bulk) return <BulkView profile={profile} bulk={bulk} />;
  if (overrides.status === 'failed' && overrides.problem && overrides.count === 0) {
    return (
      <div className={layout.screen}>
        <ScreenTitle>Overrides</ScreenTitle>
        <Notice {...overrides.problem}>
          {overrides.problem.code === 'permission_denied' ? (
            <>
              <Button onClick={() => showScreen('warehouse')}>Show my warehouse</Button>
              <Button variant="default" onClick={readAnew}>
                Ask again
              </Button>
            </>
          ) : (
            <Button onClick={readAnew}>Try again</Button>
          )}
        </Notice>
      </div>
    );
  }
  return <OverridesView profile={profile} overrides={overrides} onReadAnew={readAnew} />;
}

const NOTHING: OverridesProgress = {
  profile: null,
  status: 'unread',
  count: 0,
  dangling: 0,
  unknown: 0,
  access: 'unchecked',
  problem: null,
  revision: 0,
};

/** How many of a profile's overrides are read. Reading begins when the screen opens, and main keeps the rows. */
function useAllOverrides(profile: string): { overrides: OverridesProgress; readAnew(): void } {
  const [overrides, setOverrides] = useState(NOTHING);
  // The answer may arrive after a newer event.
  const show = (next: OverridesProgress) => setOverrides((now) => (next.revision < now.revision ? now : next));
  const read = (anew: boolean) => {
    unwrap(window.causeway.request.readOverrides({ profile, anew })).then(show, (error: Error) =>
      setOverrides({ ...NOTHING, profile, status: 'failed', problem: problemIn(error) }),
    );
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: another profile is another list
  useEffect(() => {
    read(false);
    return window.causeway.on.overridesChanged(show);
  }, [profile]);
  return { overrides: overrides.profile === profile ? overrides : NOTHING, readAnew: () => read(true) };
}

const BULK = ['bulk'];

/** The plan for many overrides that main holds, if there is one. */
function useBulk(): Bulk | null {
  const { data = null } = useQuery({
    queryKey: BULK,
    queryFn: () => unwrap(window.causeway.request.getBulk()),
    gcTime: 0,
  });
  useSubscription(BULK, window.causeway.on.bulkChanged);
  return data;
}
