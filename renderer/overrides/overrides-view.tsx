import { Button, Checkbox, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useCallback, useDeferredValue, useEffect, useState } from 'react';
import type { OverridesProgress, OverridesQuery, Person } from '../../preload/contract.ts';
import { unwrap } from '../shared/answered.ts';
import layout from '../shared/layout.module.css';
import { ActionFailure, FailureNotice, Notice } from '../shared/notice.tsx';
import { usePagedRows } from '../shared/paged-rows.ts';
import { ScreenHead } from '../shared/screen-head.tsx';
import { ChangeOverride, FindPerson } from './change-override.tsx';
import { counted, nothingFound, personOf, progressOf } from './format.ts';
import { OverrideTable } from './override-table.tsx';
import styles from './overrides.module.css';

interface OverridesViewProps {
  profile: string;
  overrides: OverridesProgress;
  onReadAnew(): void;
}

const INITIAL_QUERY: OverridesQuery = { search: '', only: 'all', by: 'dangling', descending: false };

/** The table of all overrides, with search, order, selection and changes. */
export function OverridesView({ profile, overrides, onReadAnew }: OverridesViewProps) {
  const { request } = window.causeway;
  const [query, setQuery] = useState(INITIAL_QUERY);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [finding, setFinding] = useState(false);
  const [changing, setChanging] = useState<readonly Person[] | null>(null);
  const deferredQuery = useDeferredValue(query);
  const isRead = overrides.status !== 'unread' && overrides.status !== 'reading';
  const rows = usePagedRows({
    scope: JSON.stringify(deferredQuery),
    version: `${overrides.revision} ${overrides.status}`,
    load: (from, count) => unwrap(request.overridesPage({ profile, query: deferredQuery, from, count })),
  });
  const importing = useMutation({ mutationFn: () => unwrap(request.planImport({ profile })) });
  const exporting = useMutation({ mutationFn: () => unwrap(request.exportOverrides({ profile, query })) });
  const selecting = useMutation({
    mutationFn: () => unwrap(request.overrideIds({ profile, query })),
    onSuccess: (ids) => setSelected(new Set(ids)),
  });
  // The filter for failing queries must not say that there are none before access is checked.
  const mustLook =
    query.only === 'dangling' &&
    overrides.status === 'complete' &&
    overrides.access === 'unchecked' &&
    overrides.count > 0 &&
    overrides.problem === null;
  useEffect(() => {
    if (mustLook) void request.checkAccess({ profile });
  }, [mustLook, profile, request]);
  const change = useCallback((part: Partial<OverridesQuery>) => setQuery((now) => ({ ...now, ...part })), []);

  return (
    <div className={`${layout.screen} ${styles.screen}`}>
      <ScreenHead title="Overrides">
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
      <Progress profile={profile} overrides={overrides} onReadAnew={onReadAnew} />
      {overrides.problem && <Notice {...overrides.problem} />}
      <FailureNotice error={rows.error} onRetry={rows.retry} />
      {rows.total === 0 && isRead ? (
        <p className={styles.empty}>{nothingFound(overrides, query)}</p>
      ) : (
        <OverrideTable
          rows={rows}
          query={query}
          scope={JSON.stringify(deferredQuery)}
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
        users={changing}
        onClose={() => setChanging(null)}
        onChanged={() => setSelected(new Set())}
      />
    </div>
  );
}

function Progress({ profile, overrides, onReadAnew }: OverridesViewProps) {
  const { request } = window.causeway;
  const { status, access } = overrides;
  const isBusy = status === 'reading' || access === 'checking';
  return (
    <div className={`${layout.actions} ${styles.progress}`}>
      <span role="status">{progressOf(overrides)}</span>
      {isBusy && (
        <Button variant="default" size="compact-sm" onClick={() => void request.stopReading()}>
          Stop
        </Button>
      )}
      {status === 'complete' && access === 'unchecked' && overrides.count > 0 && (
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
