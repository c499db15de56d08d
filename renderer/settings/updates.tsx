import { Button, Progress } from '@mantine/core';
import type { UpdateState } from '../../preload/contract.ts';
import layout from '../shared/layout.module.css';
import { RelativeTime } from '../shared/relative-time.tsx';
import { formatUpdate, updateOffer } from './format.ts';
import { ToggleRow } from './setting.tsx';
import styles from './settings.module.css';
import { strings } from './strings.ts';
import { useSettingsRequest } from './use-change.ts';

/** The state of the updater, and what the user can do. */
export function UpdatesSection({ state, isForbidden }: { state: UpdateState; isForbidden: boolean }) {
  const { request } = window.causeway;
  const offer = updateOffer(state);
  return (
    <div className={`${layout.row} ${styles.update}`}>
      <div role="status">
        <p>
          {formatUpdate(state)}
          {state.status === 'idle' && state.checkedAt !== null && (
            <>
              {' '}
              {strings.updates.checked} <RelativeTime at={state.checkedAt} />
            </>
          )}
        </p>
        {state.status === 'failed' && state.problem.remedy && <p className={layout.quiet}>{state.problem.remedy}</p>}
      </div>
      {state.status === 'downloading' && (
        <Progress className={styles.meter} value={state.percent} aria-label={strings.updates.progress} />
      )}
      {offer === 'check' && (
        <Button variant="default" disabled={isForbidden} onClick={() => void request.checkForUpdates()}>
          {strings.updates.check}
        </Button>
      )}
      {offer === 'download' && (
        <Button variant="default" disabled={isForbidden} onClick={() => void request.downloadUpdate()}>
          {strings.updates.download}
        </Button>
      )}
      {offer === 'restart' && <Button onClick={() => void request.restartToUpdate()}>{strings.updates.restart}</Button>}
    </div>
  );
}

/** Whether the system starts Causeway at login: it is the system that keeps this. */
export function StartAtLogin({ on }: { on: boolean | null }) {
  const change = useSettingsRequest((wanted: boolean) => window.causeway.request.setStartAtLogin({ on: wanted }));
  const { label, hint, impossible } = strings.startAtLogin;
  return (
    <ToggleRow
      label={label}
      sentence={on === null ? impossible : hint}
      error={change.error}
      isOn={on === true}
      isFixed={on === null}
      onChange={change.mutate}
    />
  );
}
