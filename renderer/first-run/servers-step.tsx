import { Button, Checkbox, Loader } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { Problem } from '../../preload/contract.ts';
import { useOfferedServers } from '../servers/add/use-offered-servers.ts';
import { problemIn, unwrap } from '../shared/answered.ts';
import { Card } from '../shared/card.tsx';
import layout from '../shared/layout.module.css';
import { ActionFailure, InSight, Notice } from '../shared/notice.tsx';
import { SearchField } from '../shared/search-field.tsx';
import styles from './first-run.module.css';
import { isOfRow, type OfferedRow, offeredRows, pathOfTick, SQL_ROW } from './offered-rows.ts';
import { StepPage } from './step-page.tsx';
import { strings } from './strings.ts';
import type { StepProps } from './use-progress.ts';

const { servers: texts } = strings;

/** A list this long can be searched. */
const LONG_LIST = 12;
const EVERYTHING = { text: '', isWhole: false };

interface Failed {
  title: string;
  problem: Problem;
}

/** Which servers AI clients are to have: everything that the workspace offers, with SQL ticked. */
export function ServersStep({ state, progress: { now, change } }: StepProps) {
  const profile = now.profile ?? state.profile ?? '';
  const offered = useOfferedServers(profile, profile === '' ? null : EVERYTHING);
  const groups = useMemo(() => offeredRows(offered.servers), [offered.servers]);
  const rows = groups.flatMap((group) => group.rows);
  const present = state.servers.filter((server) => server.profile === profile);
  const isThere = (row: OfferedRow) => present.some(({ path }) => isOfRow(row, path));
  const ticked = now.servers ?? (present.length > 0 ? present.map(({ path }) => pathOfTick(path)) : [SQL_ROW.path]);
  const missing = rows.filter((row) => ticked.includes(row.path) && !isThere(row));
  const unticked = present.filter(({ path }) => rows.some((row) => isOfRow(row, path) && !ticked.includes(row.path)));
  const apps = offered.servers.filter(({ group }) => group === 'apps').length;
  const saving = useMutation({
    mutationFn: () =>
      save(
        profile,
        missing,
        unticked.map(({ name }) => name),
      ),
    onSuccess: (failures) => {
      if (failures.length === 0) change({ step: 'clients' });
    },
  });
  const tick = (path: string, on: boolean) => {
    saving.reset();
    change({ servers: on ? [...ticked, path] : ticked.filter((one) => one !== path) });
  };
  const hasAny = rows.some(({ path }) => ticked.includes(path)) || present.length > unticked.length;
  return (
    <StepPage
      title={texts.title}
      lead={texts.lead}
      onSubmit={() => hasAny && saving.mutate()}
      footer={
        <>
          <Button variant="subtle" onClick={() => change({ step: 'workspace' })}>
            {strings.back}
          </Button>
          <Button type="submit" disabled={!hasAny} loading={saving.isPending}>
            {missing.length === 0 ? strings.continue : texts.add(missing.length)}
          </Button>
        </>
      }
    >
      <ServerTicks groups={groups} ticked={ticked} onTick={tick} />
      {apps > 0 && <p className={layout.quiet}>{texts.apps(apps)}</p>}
      <LoadingState offered={offered} />
      {saving.data?.map(({ title, problem }) => (
        <InSight key={title}>
          <Notice message={`${texts.notAdded(title)} ${problem.message}`} remedy={problem.remedy} />
        </InSight>
      ))}
      <ActionFailure error={saving.error} />
    </StepPage>
  );
}

interface ServerTicksProps {
  groups: ReturnType<typeof offeredRows>;
  /** The paths of those that are ticked. */
  ticked: readonly string[];
  onTick(path: string, on: boolean): void;
}

function ServerTicks({ groups, ticked, onTick }: ServerTicksProps) {
  const [text, setText] = useState('');
  const wanted = text.trim().toLowerCase();
  const isShown = ({ title, about }: OfferedRow) => `${title}\n${about}`.toLowerCase().includes(wanted);
  const shown = groups.flatMap(({ group, rows: own }) => {
    const found = own.filter(isShown);
    return found.length === 0 ? [] : [{ group, rows: found }];
  });
  return (
    <>
      {groups.flatMap((group) => group.rows).length > LONG_LIST && (
        <SearchField
          aria-label={texts.filter}
          placeholder={texts.filter}
          value={text}
          onChange={setText}
          onKeyDown={(event) => {
            if (event.key === 'Enter') event.preventDefault();
          }}
        />
      )}
      {shown.map(({ group, rows: own }) => (
        <Card key={group} {...(group === 'sql' ? {} : { title: texts.groups[group] })} isFlush>
          {own.map((row) => (
            <Checkbox
              key={row.path}
              classNames={{ root: styles.tick, body: styles.tickBody, labelWrapper: styles.tickText }}
              label={row.title}
              description={row.obstacle ?? (row.about || undefined)}
              disabled={row.obstacle !== null && !ticked.includes(row.path)}
              checked={ticked.includes(row.path)}
              onChange={({ currentTarget }) => onTick(row.path, currentTarget.checked)}
            />
          ))}
        </Card>
      ))}
      {shown.length === 0 && <p className={layout.quiet}>{texts.noMatch(text)}</p>}
    </>
  );
}

/** That what the workspace offers is still being read, or could not be read whole. */
function LoadingState({ offered }: { offered: ReturnType<typeof useOfferedServers> }) {
  const { isRunning, isPartial, error, leftOut, again } = offered;
  if (isRunning) {
    return (
      <p className={styles.waiting} role="status">
        <Loader size={16} aria-hidden />
        {texts.looking}
      </p>
    );
  }
  if (error === null && !isPartial) return null;
  return (
    <Notice
      tone="note"
      message={error === null ? texts.failed : problemIn(error).message}
      remedy={leftOut.length > 0 ? leftOut.join(' ') : texts.failedHelp}
    >
      <Button variant="default" size="compact-sm" onClick={again}>
        {strings.tryAgain}
      </Button>
    </Notice>
  );
}

/** Adds servers one after the other, for each name depends on those before, and removes others. @returns what could not be added */
async function save(profile: string, added: readonly OfferedRow[], removed: readonly string[]): Promise<Failed[]> {
  const { request } = window.causeway;
  const failures: Failed[] = [];
  for (const name of removed) await unwrap(request.removeServer({ name }));
  for (const { path, title } of added) {
    try {
      const wanted = path === SQL_ROW.path ? { word: 'sql' } : { path };
      const proposed = await unwrap(request.proposeServer({ profile, ...wanted }));
      await unwrap(request.addServer({ profile, ...proposed }));
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      failures.push({ title, problem: problemIn(error) });
    }
  }
  return failures;
}
