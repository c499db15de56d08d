import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { SERVER_GROUPS } from '../../../preload/contract/server-kinds.ts';
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

const texts = strings.offered;

/** How many of a group are shown before more are asked for. */
const SHOWN = 20;

/** Everything that the workspace offers as servers, in groups, as it comes in. */
export function OfferedList({ profile, groups = SERVER_GROUPS, chosen, onChoose }: OfferedListProps) {
  const [text, setText] = useState('');
  const [deep, setDeep] = useState<string | null>(null);
  const first = useOfferedServers(profile, { text: '', isWhole: false, groups });
  const more = useOfferedServers(profile, deep === null ? null : { text: deep, isWhole: true, groups });
  const wanted = text.trim().toLowerCase();
  const found = together(first, more).filter((server) => isFound(server, wanted));
  const isRunning = first.isRunning || more.isRunning;
  const firstFailure = <FailureNotice error={first.error} onRetry={first.again} />;
  return (
    <div className={layout.stack}>
      <SearchableOptions
        label={texts.label}
        placeholder={texts.placeholder}
        isBusy={isRunning}
        text={text}
        onText={setText}
        // A search is not yet a choice.
        onEnter={(event) => event.preventDefault()}
      >
        {found.length === 0 && <NothingYet isRunning={isRunning} failure={first.error && firstFailure} text={text} />}
        {groups.map((group) => (
          <Group
            // Another search begins with the first ones again.
            key={`${group} ${wanted}`}
            title={texts.groups[group]}
            servers={found.filter((server) => server.group === group)}
            chosen={chosen}
            onChoose={onChoose}
          />
        ))}
      </SearchableOptions>
      <p className={layout.quiet} role="status">
        {progressOf(first, isRunning, found.length)}
      </p>
      {found.length > 0 && firstFailure}
      <FailureNotice error={more.error} onRetry={more.again} />
      {!isRunning && first.isPartial && !isWholeKnown(more, deep, wanted) && (
        <Notice tone="note" message={texts.partial} remedy={first.leftOut.join(' ')}>
          <Button variant="default" onClick={() => setDeep(wanted)}>
            {wanted === '' ? texts.showAll : texts.searchAll}
          </Button>
        </Notice>
      )}
    </div>
  );
}

/** Whether the deeper search has found all that this text finds. */
function isWholeKnown({ error }: Offered, deep: string | null, wanted: string): boolean {
  return deep !== null && error === null && wanted.includes(deep);
}

/** What stands in the place of the list: why the search failed, that it still runs, or that nothing was found. */
function NothingYet({ isRunning, failure, text }: { isRunning: boolean; failure: ReactNode; text: string }) {
  if (failure) return failure;
  if (isRunning) return <OptionsToCome />;
  return <p className={layout.quiet}>{text.trim() === '' ? texts.nothing : texts.noMatch(text.trim())}</p>;
}

function progressOf({ error, isPartial, leftOut }: Offered, isRunning: boolean, found: number): string {
  const parts: string[] = [];
  if (isRunning) parts.push(texts.searching);
  if (!error) parts.push(texts.found(found));
  if (!isRunning && !isPartial && leftOut.length > 0) parts.push(texts.leftOut(leftOut.join(' ')));
  return parts.join(' · ');
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
          {texts.more(title, rest)}
        </Button>
      )}
    </fieldset>
  );
}

function aboutOffered({ title, about, add, obstacle, successor }: OfferedServerInfo): string {
  const newer = successor === null ? '' : texts.newer(successor);
  const fullName = title === add || add.includes(':') || !add.includes('.') ? '' : add;
  return [obstacle ?? '', newer, about, fullName].filter((part) => part !== '').join(' · ');
}

function together(first: Offered, more: Offered): OfferedServerInfo[] {
  const known = new Set(first.servers.map(({ add }) => add));
  return [...first.servers, ...more.servers.filter(({ add }) => !known.has(add))];
}

function isFound({ title, about, add }: OfferedServerInfo, wanted: string): boolean {
  return `${title}\n${about}\n${add}`.toLowerCase().includes(wanted);
}
