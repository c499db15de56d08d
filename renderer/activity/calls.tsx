import { Button } from '@mantine/core';
import { useState } from 'react';
import { counted } from '../../preload/contract/words/count.ts';
import type { Activity, CallFilter, ConfiguredServer, Recording } from '../../preload/contract.ts';
import { unwrap, useAction } from '../shared/answered.ts';
import { Card } from '../shared/card.tsx';
import layout from '../shared/layout.module.css';
import { MoreMenu } from '../shared/more-menu.tsx';
import { ActionFailure, FailureNotice, Notice } from '../shared/notice.tsx';
import { usePagedRows } from '../shared/paged-rows.ts';
import { showScreen } from '../shared/screen.ts';
import { toast } from '../shared/toast.tsx';
import { MAX_ROWS } from '../shared/virtual-table.tsx';
import styles from './activity.module.css';
import { AskClear } from './ask-clear.tsx';
import { AskExport } from './ask-export.tsx';
import { CallFilters } from './call-filters.tsx';
import { CallTable } from './call-table.tsx';
import { formatCount } from './format.ts';
import { strings } from './strings.ts';

interface CallsProps {
  activity: Activity;
  servers: readonly ConfiguredServer[];
  filter: CallFilter;
  onFilter(filter: CallFilter): void;
  recording: Recording;
}

const texts = strings.calls;

/** The calls, newest first. New calls do not move the list while it is scrolled down or paused. */
export function Calls({ activity, servers, filter, onFilter, recording }: CallsProps) {
  const { request } = window.causeway;
  /** The newest call that is shown; null while the list follows new calls. */
  const [upTo, setUpTo] = useState<number | null>(null);
  const [isPaused, setPaused] = useState(false);
  const [visits, setVisits] = useState(0);
  const [asking, setAsking] = useState<'export' | 'clear' | null>(null);
  const { newest, revision, kept, recorded } = activity;
  const scope = `${JSON.stringify(filter)} ${visits}`;
  const rows = usePagedRows({
    scope,
    version: upTo === null ? `${newest} ${kept} ${revision}` : `to ${upTo} ${kept === 0} ${revision}`,
    load: (from, count) => unwrap(request.activityPage({ filter, upTo, from, count })),
  });
  const exporting = useAction(
    (withContents: boolean) => request.exportActivity({ filter, upTo, withContents }),
    (done) => done && toast(texts.exported(formatCount(done.count), done.file)),
  );
  const clear = async (which: { day: string | null; client: string | null }) => {
    await unwrap(request.deleteCalls(which));
    toast(texts.cleared);
  };
  const pause = () => {
    setPaused(true);
    setUpTo(newest);
  };
  const resume = () => {
    setPaused(false);
    setUpTo(null);
    setVisits(visits + 1);
  };
  const onTop = (isTop: boolean) => {
    if (!isPaused) setUpTo((now) => (isTop ? null : (now ?? newest)));
  };
  const hasNew = upTo !== null && newest > upTo;
  return (
    <div className={styles.calls}>
      <Card
        title={texts.title}
        actions={
          <>
            {hasNew && (
              <Button size="compact-sm" onClick={resume}>
                {texts.showNew}
              </Button>
            )}
            <Button variant="default" size="compact-sm" onClick={isPaused ? resume : pause}>
              {isPaused ? texts.resume : texts.pause}
            </Button>
            <MoreMenu
              label={texts.more}
              items={[
                {
                  label: texts.export,
                  onClick: () => (recorded > 0 ? setAsking('export') : exporting.mutate(false)),
                },
                { label: texts.clear, isDangerous: true, onClick: () => setAsking('clear') },
              ]}
            />
          </>
        }
      >
        <CallFilters activity={activity} servers={servers} filter={filter} onFilter={onFilter} />
        <ActionFailure error={exporting.error} />
        <p role="status" className={layout.quiet}>
          {statusOf(rows.total, isPaused)}
        </p>
        <FailureNotice error={rows.error} onRetry={rows.retry} />
        <CallTable rows={rows} scope={scope} onTop={onTop} onOpen={({ id }) => showScreen('activity', String(id))} />
        {(rows.total ?? 0) > MAX_ROWS && <p className={layout.quiet}>{texts.cutOff(formatCount(MAX_ROWS))}</p>}
        <p className={layout.quiet}>
          {activity.keptDays === 0 ? texts.inMemory : texts.onDisk(counted(activity.keptDays, 'day'))}
        </p>
        {activity.problem && <Notice message={activity.problem.message} remedy={activity.problem.remedy} />}
      </Card>
      <AskClear
        opened={asking === 'clear'}
        isRecording={recording.status === 'on'}
        activity={activity}
        clear={clear}
        onClose={() => setAsking(null)}
      />
      <AskExport
        opened={asking === 'export'}
        recorded={recorded}
        onClose={() => setAsking(null)}
        onExport={(withContents) => exporting.mutate(withContents)}
      />
    </div>
  );
}

function statusOf(total: number | undefined, isPaused: boolean): string {
  const found = total === 0 ? texts.none : texts.found(formatCount(total ?? 0));
  return isPaused ? texts.paused(found) : found;
}
