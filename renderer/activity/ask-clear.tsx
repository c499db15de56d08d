import { NativeSelect } from '@mantine/core';
import { useState } from 'react';
import type { Activity } from '../../preload/contract.ts';
import { ConfirmDialog } from '../shared/confirm-dialog.tsx';
import { usePrevious } from '../shared/use-last.ts';
import { formatDate } from './format.ts';
import { whatClearingDeletes } from './recording-format.ts';
import { strings } from './strings.ts';

interface AskClearProps {
  opened: boolean;
  isRecording: boolean;
  activity: Activity;
  clear(which: { day: string | null; client: string | null }): Promise<unknown>;
  onClose(): void;
}

/** Asks which calls are deleted, and says what stays. */
export function AskClear({ opened, isRecording, activity, clear, onClose }: AskClearProps) {
  const [day, setDay] = useState<string | null>(null);
  const [client, setClient] = useState<string | null>(null);
  const { kept, recorded, days, clients } = activity;
  const texts = strings.clearing;
  const all = usePrevious(kept > 0 ? whatClearingDeletes(kept, recorded) : null);
  const isAll = day === null && client === null;
  const close = () => {
    setDay(null);
    setClient(null);
    onClose();
  };
  return (
    <ConfirmDialog
      opened={opened}
      title={texts.title}
      verb={texts.verb}
      isGrave
      isDangerous
      act={() => clear({ day, client })}
      onClose={close}
    >
      <Choice label={texts.day} any={texts.anyDay} values={days} value={day} onChoose={setDay} inWords={formatDate} />
      <Choice label={texts.client} any={texts.anyClient} values={clients} value={client} onChoose={setClient} />
      <p>{isAll ? all : texts.some}</p>
      <p>
        {isRecording && isAll && `${texts.goesOn} `}
        {texts.stays}
      </p>
    </ConfirmDialog>
  );
}

interface ChoiceProps {
  label: string;
  any: string;
  values: readonly string[];
  value: string | null;
  onChoose(value: string | null): void;
  inWords?(value: string): string;
}

function Choice({ label, any, values, value, onChoose, inWords = (text) => text }: ChoiceProps) {
  return (
    <NativeSelect
      label={label}
      data={[{ value: '', label: any }, ...values.map((each) => ({ value: each, label: inWords(each) }))]}
      value={value ?? ''}
      onChange={({ currentTarget }) => onChoose(currentTarget.value || null)}
    />
  );
}
