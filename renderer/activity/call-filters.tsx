import { Button, NativeSelect, Switch } from '@mantine/core';
import { ALL_CALLS } from '../../preload/contract/all-calls.ts';
import { serverAt } from '../../preload/contract/server-kinds.ts';
import type { Activity, CallFilter, ConfiguredServer } from '../../preload/contract.ts';
import { SearchField } from '../shared/search-field.tsx';
import styles from './activity.module.css';
import { formatDate, readOutcome } from './format.ts';
import { strings } from './strings.ts';

const texts = strings.filters;

const OUTCOMES = [
  { value: '', label: texts.anyOutcome },
  { value: 'failed', label: texts.failed },
  { value: 'answered', label: strings.outcomes.answered },
  { value: 'tool-error', label: strings.outcomes['tool-error'] },
  { value: 'error', label: strings.outcomes.error },
  { value: 'cancelled', label: strings.outcomes.cancelled },
  { value: 'lost', label: strings.outcomes.lost },
];

/** The longest search, in characters, as the contract has it. */
const MAX_TEXT_LENGTH = 200;

function isFiltered(filter: CallFilter): boolean {
  const { client, path, tool, outcome, text, day } = filter;
  return client !== null || day !== null || path !== null || tool !== null || outcome !== null || text.trim() !== '';
}

interface FiltersProps {
  activity: Activity;
  servers: readonly ConfiguredServer[];
  filter: CallFilter;
  onFilter(filter: CallFilter): void;
}

/** Which calls are listed, and in which order. */
export function CallFilters({ activity, servers, filter, onFilter }: FiltersProps) {
  const { clients, paths, tools, days } = activity;
  const nameOf = (path: string) => servers.find((server) => server.path === path)?.title ?? serverAt(path).title;
  const choice = (
    label: string,
    any: string,
    name: 'client' | 'path' | 'tool' | 'day',
    values: readonly string[],
    inWords = same,
  ) => (
    <NativeSelect
      aria-label={label}
      data={[
        { value: '', label: any },
        ...withChosen(values, filter[name]).map((value) => ({ value, label: inWords(value) })),
      ]}
      value={filter[name] ?? ''}
      onChange={({ currentTarget: { value } }) => onFilter({ ...filter, [name]: value || null })}
    />
  );
  return (
    // biome-ignore lint/a11y/useSemanticElements: a search landmark would hold nothing but this
    <div className={styles.filters} role="group" aria-label={texts.label}>
      <SearchField
        type="search"
        aria-label={texts.search}
        placeholder={texts.search}
        className={styles.search}
        maxLength={MAX_TEXT_LENGTH}
        value={filter.text}
        onChange={(text) => onFilter({ ...filter, text })}
      />
      {choice(texts.client, texts.anyClient, 'client', clients)}
      {choice(texts.server, texts.anyServer, 'path', paths, nameOf)}
      {choice(texts.tool, texts.anyTool, 'tool', tools)}
      {choice(texts.day, texts.anyDay, 'day', days, formatDate)}
      <NativeSelect
        aria-label={texts.outcome}
        data={OUTCOMES}
        value={filter.outcome ?? ''}
        onChange={({ currentTarget: { value } }) => onFilter({ ...filter, outcome: readOutcome(value) })}
      />
      <Switch
        label={texts.failedFirst}
        checked={filter.failedFirst}
        onChange={({ currentTarget: { checked } }) => onFilter({ ...filter, failedFirst: checked })}
      />
      {isFiltered(filter) && (
        <Button variant="subtle" onClick={() => onFilter({ ...ALL_CALLS, failedFirst: filter.failedFirst })}>
          {texts.clear}
        </Button>
      )}
    </div>
  );
}

const same = (value: string) => value;

/** Keeps the chosen value in the options when no call has it anymore. */
function withChosen(values: readonly string[], chosen: string | null): readonly string[] {
  return chosen === null || values.includes(chosen) ? values : [...values, chosen];
}
