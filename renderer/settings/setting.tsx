import { NativeSelect, Switch } from '@mantine/core';
import { type ReactNode, useId } from 'react';
import type { Settings } from '../../preload/contract.ts';
import { problemIn } from '../shared/answered.ts';
import { Notice } from '../shared/notice.tsx';
import styles from './settings.module.css';
import { useChange } from './use-change.ts';

interface SettingProps {
  label: string;
  sentence: string;
  settings: Settings;
}

type NamesOf<Kind> = { [Name in keyof Settings]: Settings[Name] extends Kind ? Name : never }[keyof Settings];

/** Something that is on or off. */
export function Toggle({ name, label, sentence, settings }: SettingProps & { name: NamesOf<boolean> }) {
  const change = useChange();
  const id = useId();
  return (
    <Row label={label} sentence={sentence} id={id} error={change.error}>
      <Switch
        id={id}
        aria-describedby={`${id}-sentence`}
        checked={settings[name]}
        onChange={({ currentTarget }) => change.mutate({ [name]: currentTarget.checked })}
      />
    </Row>
  );
}

interface ChoiceProps extends SettingProps {
  name: NamesOf<string>;
  choices: { value: string; label: string }[];
  disabled?: boolean;
}

/** One of a few. */
export function Choice({ name, label, sentence, settings, choices, disabled = false }: ChoiceProps) {
  const change = useChange();
  const id = useId();
  return (
    <Row label={label} sentence={sentence} id={id} error={change.error}>
      <NativeSelect
        id={id}
        aria-describedby={`${id}-sentence`}
        disabled={disabled || change.isPending}
        value={settings[name]}
        data={choices}
        onChange={({ currentTarget }) => change.mutate({ [name]: currentTarget.value })}
      />
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
    <div className={styles.row}>
      <div>
        <label htmlFor={id} className={styles.label}>
          {label}
        </label>
        <p id={`${id}-sentence`} className={styles.sentence}>
          {sentence}
        </p>
      </div>
      <div className={styles.control}>{children}</div>
      {error && (
        <div className={styles.failure}>
          <Notice {...problemIn(error)} />
        </div>
      )}
    </div>
  );
}
