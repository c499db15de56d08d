import { Button } from '@mantine/core';
import type { DesktopState } from '../../preload/contract.ts';
import layout from '../shared/layout.module.css';
import { Notice } from '../shared/notice.tsx';
import { showScreen } from '../shared/screen.ts';
import { ScreenTitle } from '../shared/screen-head.tsx';
import { BulkView } from './bulk-view.tsx';
import { OverridesView } from './overrides-view.tsx';
import { useBulk, useEveryone } from './use-everyone.ts';

/** What a workspace's admins do for everybody: all overrides, and changing them. */
export function EveryoneScreen({ state: { profile, warehouse } }: { state: DesktopState }) {
  if (profile === null || warehouse.status === 'unconfigured' || warehouse.status === 'signing-in') {
    return (
      <div className={layout.screen}>
        <ScreenTitle>Everyone</ScreenTitle>
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
  const { everyone, readAnew } = useEveryone(profile);
  const bulk = useBulk();
  if (bulk) return <BulkView profile={profile} bulk={bulk} />;
  if (everyone.status === 'failed' && everyone.problem && everyone.count === 0) {
    return (
      <div className={layout.screen}>
        <ScreenTitle>Everyone</ScreenTitle>
        <Notice {...everyone.problem}>
          {everyone.problem.code === 'permission_denied' ? (
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
  return <OverridesView profile={profile} everyone={everyone} onReadAnew={readAnew} />;
}
