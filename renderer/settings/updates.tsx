import { Button, Progress } from '@mantine/core';
import type { Settings, UpdateState } from '../../preload/contract.ts';
import { RelativeTime } from '../shared/relative-time.tsx';
import { Choice, Toggle } from './setting.tsx';
import styles from './settings.module.css';
import { updateInWords, updateOffer } from './words.ts';

/** How newer versions come to this computer, and where that stands. */
export function Updates({ state, settings }: { state: UpdateState; settings: Settings }) {
  const { request } = window.causeway;
  const offer = updateOffer(state);
  return (
    <>
      {state.status !== 'not-possible-here' && (
        <>
          <Toggle
            name="automaticUpdates"
            label="Update by itself"
            sentence="Looks for new versions twice a day and fetches them. You decide when to restart."
            settings={settings}
          />
          <Choice
            name="updateChannel"
            label="Which versions"
            sentence="Preview versions come earlier and are less tried."
            settings={settings}
            choices={[
              { value: 'latest', label: 'Finished versions' },
              { value: 'beta', label: 'Preview versions too' },
            ]}
          />
        </>
      )}
      <div className={styles.update}>
        <div role="status">
          <p>
            {updateInWords(state)}
            {state.status === 'idle' && state.checkedAt !== null && (
              <>
                {' '}
                Looked <RelativeTime at={state.checkedAt} />.
              </>
            )}
          </p>
          {state.status === 'failed' && state.problem.remedy && (
            <p className={styles.sentence}>{state.problem.remedy}</p>
          )}
        </div>
        {state.status === 'downloading' && <Progress value={state.percent} aria-label="Fetched" />}
        {offer === 'check' && (
          <Button variant="default" onClick={() => void request.checkForUpdates()}>
            Check for updates
          </Button>
        )}
        {offer === 'download' && (
          <Button variant="default" onClick={() => void request.downloadUpdate()}>
            Get it
          </Button>
        )}
        {offer === 'restart' && <Button onClick={() => void request.restartToUpdate()}>Restart to update</Button>}
      </div>
    </>
  );
}
