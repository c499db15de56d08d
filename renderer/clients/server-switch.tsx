import { Switch } from '@mantine/core';
import { useId } from 'react';
import type { AiClient } from '../../preload/contract.ts';
import styles from './clients.module.css';
import { clientEntryStatus, isCovered } from './format.ts';
import { strings } from './strings.ts';
import { useLimits } from './use-limits.ts';

interface ServerSwitchProps {
  client: AiClient;
  server: string;
  /** What the server is called where there is room for it. */
  title: string;
  /** It is being written just now. */
  turning: boolean;
  onTurn(on: boolean): void;
}

/** Whether a client has a server: one cell of the matrix. */
export function ServerSwitch({ client, server, title, turning, onTurn }: ServerSwitchProps) {
  const { on: hasOwn, words: state, unknown } = clientEntryStatus(client, server);
  // Removing the one entry turns it off, and a notice beneath offers that.
  const isInShared = !hasOwn && isCovered(client, server);
  const on = hasOwn || isInShared;
  const { mayAdd, mayRemove } = useLimits(client.id);
  const isFixed = on ? !mayRemove : !mayAdd;
  const words = state ?? (isInShared ? strings.entries.covered : isFixed && !unknown ? strings.managed : null);
  const described = useId();
  return (
    <li className={styles.cell}>
      <Switch
        label={title}
        classNames={{ labelWrapper: styles.switchLabel }}
        aria-label={strings.switchName(title, client.name)}
        aria-describedby={words ? described : undefined}
        checked={turning ? !on : on}
        disabled={unknown || isFixed || isInShared}
        onChange={({ currentTarget }) => {
          if (!turning) onTurn(currentTarget.checked);
        }}
      />
      {words && (
        <p id={described} className={styles.cellState}>
          {words}
        </p>
      )}
    </li>
  );
}
