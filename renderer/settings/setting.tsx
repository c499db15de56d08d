import { NativeSelect, Switch } from '@mantine/core';
import { type ReactNode, useId } from 'react';
import type { ManagedKey, Settings, SettingsState } from '../../preload/contract.ts';
import layout from '../shared/layout.module.css';
import { managedHint } from '../shared/managed.tsx';
import { ActionFailure } from '../shared/notice.tsx';
import { useDesktopState } from '../shared/use-desktop-state.ts';
import styles from './settings.module.css';
import type { SettingWords } from './table.ts';
import { useSettingsChange } from './use-change.ts';

/** The settings that an organization may have decided, and the key of its policy that does. */
const MANAGED_BY: Partial<Record<keyof Settings, ManagedKey>> = {
  tokenStore: 'tokenStore',
  automaticUpdates: 'updates',
  updateChannel: 'updates',
};

/** One of the settings: a switch, or a choice. */
export function Setting({ words, state }: { words: SettingWords; state: SettingsState }) {
  const change = useSettingsChange();
  const id = useId();
  const { settings } = state;
  const { managed } = useDesktopState();
  const key = MANAGED_BY[words.name];
  const hint = key === undefined ? null : managedHint(managed, key);
  const isFixed = hint !== null;
  return (
    <Row label={words.label} sentence={hint ?? words.sentence(state)} id={id} error={change.error}>
      {words.kind === 'toggle' ? (
        <Switch
          id={id}
          aria-describedby={`${id}-sentence`}
          disabled={isFixed}
          checked={settings[words.name]}
          onChange={({ currentTarget }) => change.mutate({ [words.name]: currentTarget.checked })}
        />
      ) : (
        <NativeSelect
          id={id}
          aria-describedby={`${id}-sentence`}
          disabled={isFixed || words.decidedBy?.(state) != null}
          value={words.decidedBy?.(state) ?? settings[words.name]}
          data={words.choices}
          onChange={({ currentTarget }) => change.mutate({ [words.name]: currentTarget.value })}
        />
      )}
    </Row>
  );
}

interface RowProps {
  label: string;
  sentence: string;
  /** Of the control that the label belongs to. */
  id: string;
  error: Error | null;
  children: ReactNode;
}

/** A label with its sentence, the control beside it, and what went wrong with it beneath. */
export function Row({ label, sentence, id, error, children }: RowProps) {
  return (
    <div className={`${layout.row} ${layout.split} ${styles.row}`}>
      <div>
        <label htmlFor={id} className={styles.label}>
          {label}
        </label>
        <p id={`${id}-sentence`} className={layout.quiet}>
          {sentence}
        </p>
      </div>
      <div>{children}</div>
      {error && (
        <div className={styles.failure}>
          <ActionFailure error={error} />
        </div>
      )}
    </div>
  );
}
