import { NativeSelect, Switch } from '@mantine/core';
import { type ReactNode, useId } from 'react';
import { SETTING_FACTS } from '../../preload/contract/setting-facts.ts';
import type { SettingsState } from '../../preload/contract.ts';
import layout from '../shared/layout.module.css';
import { managedHint } from '../shared/managed.tsx';
import { ActionFailure } from '../shared/notice.tsx';
import { useDesktopState } from '../shared/use-desktop-state.ts';
import styles from './settings.module.css';
import type { SettingText } from './table.ts';
import { useSettingsChange } from './use-change.ts';

/** One of the settings: a switch, or a choice. */
export function Setting({ setting, state }: { setting: SettingText; state: SettingsState }) {
  const change = useSettingsChange();
  const id = useId();
  const { settings } = state;
  const { managed } = useDesktopState();
  const key = SETTING_FACTS[setting.name].managedBy;
  const hint = key === undefined ? null : managedHint(managed, key);
  const row = { label: setting.label, sentence: hint ?? setting.sentence(state), error: change.error };
  if (setting.kind === 'toggle') {
    const { name } = setting;
    return (
      <ToggleRow
        {...row}
        isOn={settings[name]}
        isFixed={hint !== null}
        onChange={(on) => change.mutate({ [name]: on })}
      />
    );
  }
  const decided = setting.decidedBy?.(state) ?? null;
  return (
    <Row {...row} id={id}>
      <NativeSelect
        id={id}
        aria-describedby={`${id}-sentence`}
        disabled={hint !== null || decided !== null}
        value={decided ?? settings[setting.name]}
        data={setting.choices}
        onChange={({ currentTarget }) => change.mutate({ [setting.name]: currentTarget.value })}
      />
    </Row>
  );
}

interface ToggleRowProps extends Omit<RowProps, 'id' | 'children'> {
  isOn: boolean;
  isFixed: boolean;
  onChange(on: boolean): void;
}

/** Something that is on or off. */
export function ToggleRow({ isOn, isFixed, onChange, ...row }: ToggleRowProps) {
  const id = useId();
  return (
    <Row {...row} id={id}>
      <Switch
        id={id}
        aria-describedby={`${id}-sentence`}
        disabled={isFixed}
        checked={isOn}
        onChange={({ currentTarget }) => onChange(currentTarget.checked)}
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
function Row({ label, sentence, id, error, children }: RowProps) {
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
