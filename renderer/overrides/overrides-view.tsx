import { Button, Checkbox, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useCallback, useDeferredValue, useEffect, useState } from 'react';
import type { Everyone, EveryoneQuery, Person } from '../../preload/contract.ts';
import { unwrap } from '../shared/answered.ts';
import layout from '../shared/layout.module.css';
import { ActionFailure, FailureNotice, Notice } from '../shared/notice.tsx';
import { usePagedRows } from '../shared/paged-rows.ts';
import { ScreenHead } from '../shared/screen-head.tsx';
import { ChangeOverride, FindPerson } from './change-override.tsx';
import styles from './everyone.module.css';
import { counted, nothingFound, personOf, progressOf } from './format.ts';
import { OverrideTable } from './override-table.tsx';

interface OverridesViewProps {
  profile: string;
  everyone: Everyone;
  onReadAnew(): void;
}

const AT_FIRST: EveryoneQuery = { search: '', only: 'all', by: 'dangling', descending: false };

/** All overrides: searched, ordered, selected, changed. */
export function OverridesView({ profile, everyone, onReadAnew }: OverridesViewProps) {
  const { request } = window.causeway;
  const [query, setQuery] = useState(AT_FIRST);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [finding, setFinding] = useState(false);
  const [changing, setChanging] = useState<readonly Person[] | null>(null);
  const asked = useDeferredValue(query);
  const isRead = everyone.status !== 'unread' && everyone.status !== 'reading';
  const rows = usePagedRows({
    scope: JSON.stringify(asked),
    version: `${everyone.revision} ${everyone.status}`,
    load: (from, count) => unwrap(request.everyonePage({ profile, query: asked, from, count })),
  });
  const importing = useMutation({ mutationFn: () => unwrap(request.planImport({ profile })) });
  const exporting = useMutation({ mutationFn: () => unwrap(request.exportEveryone({ profile, query })) });
  const selecting = useMutation({
    mutationFn: () => unwrap(request.everyoneIds({ profile, query })),
    onSuccess: (ids) => setSelected(new Set(ids)),
  });
  // Who asks for those whose queries fail is not to be told that there are none before anybody has looked.
  const mustLook =
    query.only === 'dangling' &&
    everyone.status === 'complete' &&
    everyone.access === 'unchecked' &&
    everyone.count > 0 &&
    everyone.problem === null;
  useEffect(() => {
    if (mustLook) void request.checkAccess({ profile });
  }, [mustLook, profile, request]);
  const change = useCallback((part: Partial<EveryoneQuery>) => setQuery((now) => ({ ...now, ...part })), []);

  return (
    <div className={`${layout.screen} ${styles.screen}`}>
      <ScreenHead title="Everyone">
        <Button variant="default" loading={importing.isPending} onClick={() => importing.mutate()}>
          Import…
        </Button>
        <Button
          variant="default"
          disabled={!isRead || rows.total === 0}
          loading={exporting.isPending}
          onClick={() => exporting.mutate()}
        >
          Export…
        </Button>
        <Button onClick={() => setFinding(true)}>Set for somebody…</Button>
      </ScreenHead>
      <ActionFailure error={importing.error} />
      <ActionFailure error={exporting.error} />
      <ActionFailure error={selecting.error} />
      {exporting.data && (
        <Notice
          tone="note"
          message={`${counted(exporting.data.count, 'override')} written.`}
          remedy={`They are in ${exporting.data.file}.`}
        />
      )}
      <div className={layout.head}>
        <TextInput
          className={styles.search}
          aria-label="Search people and warehouses"
          placeholder="Search people and warehouses"
          value={query.search}
          onChange={({ currentTarget }) => change({ search: currentTarget.value })}
        />
        <Checkbox
          label="Only those whose queries fail"
          checked={query.only === 'dangling'}
          onChange={({ currentTarget }) => change({ only: currentTarget.checked ? 'dangling' : 'all' })}
        />
      </div>
      <Progress profile={profile} everyone={everyone} onReadAnew={onReadAnew} />
      {everyone.problem && <Notice {...everyone.problem} />}
      <FailureNotice error={rows.error} onRetry={rows.retry} />
      {rows.total === 0 && isRead ? (
        <p className={styles.empty}>{nothingFound(everyone, query)}</p>
      ) : (
        <OverrideTable
          rows={rows}
          query={query}
          scope={JSON.stringify(asked)}
          selected={selected}
          onOrder={change}
          onSelect={setSelected}
          onChange={(row) => setChanging([personOf(row)])}
        />
      )}
      <div className={layout.head} role="status">
        {selected.size > 0 && (
          <>
            <span>
              {selected.size === 1 ? '1 person selected' : `${counted(selected.size, 'people', 'people')} selected`}
            </span>
            <div className={layout.actions}>
              <Button variant="default" size="compact-sm" onClick={() => setSelected(new Set())}>
                Select none
              </Button>
              <Button variant="default" size="compact-sm" onClick={() => selecting.mutate()}>
                Select all {counted(rows.total ?? 0, 'row')}
              </Button>
              <Button
                size="compact-sm"
                onClick={() => setChanging([...selected].map((id) => ({ id, userName: '', displayName: '' })))}
              >
                Change these…
              </Button>
            </div>
          </>
        )}
      </div>
      <FindPerson
        profile={profile}
        opened={finding}
        onClose={() => setFinding(false)}
        onFound={(person) => {
          setFinding(false);
          setChanging([person]);
        }}
      />
      <ChangeOverride
        profile={profile}
        people={changing}
        onClose={() => setChanging(null)}
        onChanged={() => setSelected(new Set())}
      />
    </div>
  );
}

function Progress({ profile, everyone, onReadAnew }: OverridesViewProps) {
  const { request } = window.causeway;
  const { status, access } = everyone;
  const isBusy = status === 'reading' || access === 'checking';
  return (
    <div className={`${layout.actions} ${styles.progress}`}>
      <span role="status">{progressOf(everyone)}</span>
      {isBusy && (
        <Button variant="default" size="compact-sm" onClick={() => void request.stopReading()}>
          Stop
        </Button>
      )}
      {status === 'complete' && access === 'unchecked' && everyone.count > 0 && (
        <Button variant="default" size="compact-sm" onClick={() => void request.checkAccess({ profile })}>
          Check who may use theirs
        </Button>
      )}
      {!isBusy && status !== 'unread' && (
        <Button variant="default" size="compact-sm" onClick={onReadAnew}>
          Read again
        </Button>
      )}
    </div>
  );
}
