import { Button, Checkbox, Skeleton } from '@mantine/core';
import { IconDownload, IconRefresh, IconSearch, IconUpload, IconUserPlus, IconUsers } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useCallback, useDeferredValue, useEffect, useState } from 'react';
import type { OverridesProgress, OverridesQuery, Person } from '../../preload/contract.ts';
import { unwrap } from '../shared/answered.ts';
import { EmptyState } from '../shared/empty-state.tsx';
import { Icon } from '../shared/icon.tsx';
import layout from '../shared/layout.module.css';
import { MoreMenu } from '../shared/more-menu.tsx';
import { ActionFailure, FailureNotice, Notice } from '../shared/notice.tsx';
import { usePagedRows } from '../shared/paged-rows.ts';
import { ScreenHead } from '../shared/screen-head.tsx';
import { SearchField } from '../shared/search-field.tsx';
import { toast } from '../shared/toast.tsx';
import { ChangeOverride, FindPerson } from './change-override.tsx';
import { counted, nothingFound, personOf, progressOf } from './format.ts';
import { OverrideTable } from './override-table.tsx';
import styles from './overrides.module.css';
import { strings } from './strings.ts';

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
  const exporting = useMutation({
    mutationFn: () => unwrap(request.exportOverrides({ profile, query })),
    onSuccess: (written) => {
      if (written) toast(strings.done.exported(counted(written.count, 'override'), written.file));
    },
  });
  const selecting = useMutation({
    mutationFn: () => unwrap(request.overrideIds({ profile, query })),
    onSuccess: (ids) => setSelected(new Set(ids)),
  });
  // The filter for failing queries must not say that there are none before access is checked.
  const mustLook = query.only === 'dangling' && canCheckAccess(overrides) && overrides.problem === null;
  useEffect(() => {
    if (mustLook) void request.checkAccess({ profile });
  }, [mustLook, profile, request]);
  const change = useCallback((part: Partial<OverridesQuery>) => setQuery((now) => ({ ...now, ...part })), []);

  return (
    <div className={`${layout.screen} ${styles.screen}`}>
      <ScreenHead title={strings.title}>
        <Button variant="default" leftSection={<Icon of={IconRefresh} />} disabled={!isRead} onClick={onReadAnew}>
          {strings.refresh}
        </Button>
        <Button leftSection={<Icon of={IconUserPlus} />} onClick={() => setFinding(true)}>
          {strings.setForUser}
        </Button>
        <MoreMenu
          label={strings.more}
          items={[
            { label: strings.import, icon: IconUpload, onClick: () => importing.mutate() },
            {
              label: strings.export,
              icon: IconDownload,
              onClick: () => exporting.mutate(),
              isDisabled: !isRead || rows.total === 0,
            },
          ]}
        />
      </ScreenHead>
      <ActionFailure error={importing.error} />
      <ActionFailure error={exporting.error} />
      <ActionFailure error={selecting.error} />
      <div className={layout.head}>
        <SearchField
          className={styles.search}
          aria-label={strings.search}
          placeholder={strings.search}
          value={query.search}
          onChange={(search) => change({ search })}
        />
        <Checkbox
          label={strings.failingOnly}
          checked={query.only === 'dangling'}
          onChange={({ currentTarget }) => change({ only: currentTarget.checked ? 'dangling' : 'all' })}
        />
      </div>
      <Progress profile={profile} overrides={overrides} />
      {overrides.problem && (
        <Notice {...overrides.problem}>
          <Button variant="default" onClick={onReadAnew}>
            {strings.tryAgain}
          </Button>
        </Notice>
      )}
      <FailureNotice error={rows.error} onRetry={rows.retry} />
      {rows.total === undefined || (rows.total === 0 && !isRead) ? (
        <TableToCome />
      ) : rows.total === 0 ? (
        <Empty text={nothingFound(overrides, query)} isAll={overrides.count === 0} />
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
          <Selection
            count={selected.size}
            total={rows.total ?? 0}
            onNone={() => setSelected(new Set())}
            onAll={() => selecting.mutate()}
            onChange={() => setChanging([...selected].map((id) => ({ id, userName: '', displayName: '' })))}
          />
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

/** Whether there are overrides that nobody has checked for access. */
function canCheckAccess({ status, access, count }: OverridesProgress): boolean {
  return status === 'complete' && access === 'unchecked' && count > 0;
}

interface SelectionProps {
  count: number;
  total: number;
  onNone(): void;
  onAll(): void;
  onChange(): void;
}

function Selection({ count, total, onNone, onAll, onChange }: SelectionProps) {
  return (
    <>
      <span>{strings.selection(counted(count, 'user'))}</span>
      <div className={layout.actions}>
        <Button variant="default" size="compact-sm" onClick={onNone}>
          {strings.selectNone}
        </Button>
        <Button variant="default" size="compact-sm" onClick={onAll}>
          {strings.selectAll(counted(total, 'override'))}
        </Button>
        <Button variant="light" size="compact-sm" onClick={onChange}>
          {strings.changeSelected}
        </Button>
      </div>
    </>
  );
}

function Progress({ profile, overrides }: Pick<OverridesViewProps, 'profile' | 'overrides'>) {
  const { request } = window.causeway;
  const { status, access } = overrides;
  const isBusy = status === 'reading' || access === 'checking';
  return (
    <div className={`${layout.actions} ${styles.progress}`}>
      <span role="status">{progressOf(overrides)}</span>
      {isBusy && (
        <Button variant="default" size="compact-sm" onClick={() => void request.stopReading()}>
          {strings.stop}
        </Button>
      )}
      {canCheckAccess(overrides) && (
        <Button variant="default" size="compact-sm" onClick={() => void request.checkAccess({ profile })}>
          {strings.checkPermissions}
        </Button>
      )}
    </div>
  );
}

const ROWS = ['first', 'second', 'third', 'fourth', 'fifth'];

/** Placeholders in the shape of the table's rows. */
function TableToCome() {
  return (
    <div className={layout.list} aria-busy>
      {ROWS.map((row) => (
        <div key={row} className={`${styles.people} ${styles.toCome}`}>
          <Skeleton width={20} height={20} />
          <Skeleton width="60%" height={14} />
          <Skeleton width="50%" height={14} />
        </div>
      ))}
    </div>
  );
}

function Empty({ text, isAll }: { text: string; isAll: boolean }) {
  return (
    <EmptyState icon={isAll ? IconUsers : IconSearch} text={text} {...(isAll ? { title: strings.empty.title } : {})} />
  );
}
