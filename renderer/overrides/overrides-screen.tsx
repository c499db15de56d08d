import { Button } from '@mantine/core';
import { type Icon as Glyph, IconLock, IconUsers } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import type { Bulk, DesktopState, OverridesProgress } from '../../preload/contract.ts';
import { problemIn, unwrap } from '../shared/answered.ts';
import { EmptyState } from '../shared/empty-state.tsx';
import layout from '../shared/layout.module.css';
import { Notice } from '../shared/notice.tsx';
import { showScreen } from '../shared/screen.ts';
import { ScreenTitle } from '../shared/screen-head.tsx';
import { useSubscription } from '../shared/use-desktop-state.ts';
import { BulkView } from './bulk-view.tsx';
import { OverridesView } from './overrides-view.tsx';
import { strings } from './strings.ts';

/** The overrides of all users, for admins of the workspace. */
export function OverridesScreen({ state: { profile, warehouse } }: { state: DesktopState }) {
  if (profile === null || warehouse.status === 'unconfigured' || warehouse.status === 'signing-in') {
    const { title, text, button } = strings.signedOut;
    return (
      <Instead icon={IconUsers} title={title} text={text}>
        <Button onClick={() => showScreen('accounts')}>{button}</Button>
      </Instead>
    );
  }
  return <OfProfile key={profile} profile={profile} />;
}

function OfProfile({ profile }: { profile: string }) {
  const { overrides, readAnew } = useAllOverrides(profile);
  const bulk = useBulk();
  if (bulk) return <BulkView profile={profile} bulk={bulk} />;
  const { status, problem, count } = overrides;
  if (status === 'failed' && problem?.code === 'permission_denied' && count === 0) {
    const { title, button } = strings.refused;
    return (
      <Instead icon={IconLock} title={title} text={problem.message}>
        <Button onClick={() => showScreen('warehouse')}>{button}</Button>
        <Button variant="default" onClick={readAnew}>
          {strings.refresh}
        </Button>
      </Instead>
    );
  }
  if (status === 'failed' && problem && count === 0) {
    return (
      <div className={layout.screen}>
        <ScreenTitle>{strings.title}</ScreenTitle>
        <Notice {...problem}>
          <Button onClick={readAnew}>{strings.tryAgain}</Button>
        </Notice>
      </div>
    );
  }
  return <OverridesView profile={profile} overrides={overrides} onReadAnew={readAnew} />;
}

/** What stands instead of the table where there can be none. */
function Instead({ children, ...rest }: { icon: Glyph; title: string; text: string; children: ReactNode }) {
  return (
    <div className={layout.screen}>
      <ScreenTitle>{strings.title}</ScreenTitle>
      <EmptyState {...rest} actions={children} />
    </div>
  );
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
