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
  const { on, isFixed, text } = cellOf(client, server, useLimits(client.id));
  const described = useId();
  return (
    <li className={styles.cell}>
      <Switch
        label={title}
        classNames={{ labelWrapper: styles.switchLabel }}
        aria-label={strings.switchName(title, client.name)}
        aria-describedby={text ? described : undefined}
        checked={turning ? !on : on}
        disabled={isFixed}
        onChange={({ currentTarget }) => {
          if (!turning) onTurn(currentTarget.checked);
        }}
      />
      {text && (
        <p id={described} className={styles.cellState}>
          {text}
        </p>
      )}
    </li>
  );
}

/** Whether a client has a server, whether the user cannot change that here, and what is said beside it. */
function cellOf(
  client: AiClient,
  server: string,
  { mayAdd, mayRemove }: ReturnType<typeof useLimits>,
): { on: boolean; isFixed: boolean; text: string | null } {
  const { on, text, unknown } = clientEntryStatus(client, server);
  if (unknown) return { on: isCovered(client, server), isFixed: true, text };
  // Removing the one entry turns it off, and a notice beneath offers that.
  if (!on && isCovered(client, server)) return { on: true, isFixed: true, text: text ?? strings.entries.covered };
  const isFixed = on ? !mayRemove : !mayAdd;
  return { on, isFixed, text: text ?? (isFixed ? strings.managed : null) };
}
