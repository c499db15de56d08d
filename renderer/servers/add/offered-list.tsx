import { Button } from '@mantine/core';
import { useState } from 'react';
import type { OfferedGroup, OfferedServerInfo } from '../../../preload/contract.ts';
import layout from '../../shared/layout.module.css';
import { FailureNotice, Notice } from '../../shared/notice.tsx';
import { Option, OptionsToCome, SearchableOptions } from '../../shared/options.tsx';
import { strings } from '../strings.ts';
import styles from './add.module.css';
import { type Offered, useOfferedServers } from './use-offered-servers.ts';

interface OfferedListProps {
  profile: string;
  /** Which groups are shown; all of them if left out. */
  groups?: readonly OfferedGroup[] | undefined;
  chosen: OfferedServerInfo | null;
  onChoose(server: OfferedServerInfo | null): void;
}

const words = strings.offered;
const GROUPS: readonly OfferedGroup[] = ['sql', 'genie', 'search', 'functions', 'services', 'connections', 'apps'];

/** How many of a group are shown before more are asked for. */
const SHOWN = 20;

/** Everything that the workspace offers as servers, in groups, as it comes in. */
export function OfferedList({ profile, groups = GROUPS, chosen, onChoose }: OfferedListProps) {
  const [text, setText] = useState('');
  const [deep, setDeep] = useState<string | null>(null);
  const first = useOfferedServers(profile, { text: '', isWhole: false, groups });
  const more = useOfferedServers(profile, deep === null ? null : { text: deep, isWhole: true, groups });
  const wanted = text.trim().toLowerCase();
  const found = together(first, more).filter((server) => isFound(server, wanted));
  const isRunning = first.isRunning || more.isRunning;
  const isWholeKnown = deep !== null && !more.isRunning && more.error === null && wanted.includes(deep);
  const leftOut = first.leftOut.join(' ');
  return (
    <div className={layout.stack}>
      <SearchableOptions
        label={words.label}
        placeholder={words.placeholder}
        isBusy={isRunning}
        text={text}
        onText={setText}
        // A search is not yet a choice.
        onEnter={(event) => event.preventDefault()}
      >
        {found.length === 0 && isRunning && <OptionsToCome />}
        {found.length === 0 && <FailureNotice error={first.error} onRetry={first.again} />}
        {groups.map((group) => (
          <Group
            // Another search begins with the first ones again.
            key={`${group} ${wanted}`}
            title={words.groups[group]}
            servers={found.filter((server) => server.group === group)}
            chosen={chosen}
            onChoose={onChoose}
          />
        ))}
        {found.length === 0 && !isRunning && !first.error && (
          <p className={layout.quiet}>{wanted === '' ? words.nothing : words.noMatch(text.trim())}</p>
        )}
      </SearchableOptions>
      <p className={layout.quiet} role="status">
        {[
          ...(isRunning ? [words.searching] : []),
          ...(first.error ? [] : [words.found(found.length)]),
          ...(!isRunning && !first.isPartial && leftOut !== '' ? [words.leftOut(leftOut)] : []),
        ].join(' · ')}
      </p>
      {found.length > 0 && <FailureNotice error={first.error} onRetry={first.again} />}
      <FailureNotice error={more.error} onRetry={more.again} />
      {!isRunning && !isWholeKnown && first.isPartial && (
        <Notice tone="note" message={words.partial} remedy={leftOut}>
          <Button variant="default" onClick={() => setDeep(wanted)}>
            {wanted === '' ? words.showAll : words.searchAll}
          </Button>
        </Notice>
      )}
    </div>
  );
}

interface GroupProps {
  title: string;
  servers: readonly OfferedServerInfo[];
  chosen: OfferedServerInfo | null;
  onChoose(server: OfferedServerInfo): void;
}

function Group({ title, servers, chosen, onChoose }: GroupProps) {
  const [limit, setLimit] = useState(SHOWN);
  if (servers.length === 0) return null;
  const rest = servers.length - limit;
  return (
    <fieldset className={styles.group}>
      <legend>{title}</legend>
      {servers.slice(0, limit).map((server) => (
        <Option
          key={server.add}
          group="offered"
          value={server.add}
          chosen={server.add === chosen?.add}
          onChoose={() => onChoose(server)}
          title={server.title}
        >
          {aboutOffered(server)}
        </Option>
      ))}
      {rest > 0 && (
        <Button variant="subtle" size="compact-sm" onClick={() => setLimit(limit + 5 * SHOWN)}>
          {words.more(title, rest)}
        </Button>
      )}
    </fieldset>
  );
}

function aboutOffered({ title, about, add, obstacle, successor }: OfferedServerInfo): string {
  const replaced = successor === null ? '' : words.replacedBy(successor);
  const fullName = title === add || add.includes(':') || !add.includes('.') ? '' : add;
  return [obstacle ?? '', replaced, about, fullName].filter((part) => part !== '').join(' · ');
}

function together(first: Offered, more: Offered): OfferedServerInfo[] {
  const known = new Set(first.servers.map(({ add }) => add));
  return [...first.servers, ...more.servers.filter(({ add }) => !known.has(add))];
}

function isFound({ title, about, add }: OfferedServerInfo, wanted: string): boolean {
  return `${title}\n${about}\n${add}`.toLowerCase().includes(wanted);
}
