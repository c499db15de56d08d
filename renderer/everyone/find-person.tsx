import { Button, Modal, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { Person } from '../../preload/contract.ts';
import { answered, problemIn } from '../shared/answered.ts';
import { Notice } from '../shared/notice.tsx';
import styles from './everyone.module.css';
import { nameOf } from './words.ts';

interface FindPersonProps {
  profile: string;
  opened: boolean;
  onClose(): void;
  onFound(person: Person): void;
}

/** Finds who is to get an override, whether they have one or not. */
export function FindPerson({ opened, onClose, ...rest }: FindPersonProps) {
  return (
    <Modal opened={opened} onClose={onClose} title="Whose override?">
      <Finding onClose={onClose} {...rest} />
    </Modal>
  );
}

function Finding({ profile, onClose, onFound }: Omit<FindPersonProps, 'opened'>) {
  const [text, setText] = useState('');
  const finding = useMutation({
    mutationFn: () => answered(window.causeway.request.findUsers({ profile, text })),
    onSuccess: ([only, ...others]) => {
      if (only && others.length === 0) onFound(only);
    },
  });
  const find = (event: FormEvent) => {
    event.preventDefault();
    if (text.trim() !== '') finding.mutate();
  };
  const several = finding.data ?? [];
  return (
    <form onSubmit={find} className={styles.dialog}>
      <TextInput
        label="Name, e-mail address or user id"
        value={text}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
        data-autofocus
      />
      {finding.error && <Notice {...problemIn(finding.error)} />}
      {several.length > 1 && (
        <>
          <p role="status">{several.length} people fit. Which one?</p>
          <ul className={styles.found}>
            {several.map((person) => (
              <li key={person.id}>
                <button type="button" onClick={() => onFound(person)}>
                  <span className={styles.name}>{nameOf(person)}</span>
                  <span className={styles.second}>{person.userName || person.id}</span>
                </button>
              </li>
            ))}
          </ul>
        </>
      )}
      <div className={styles.dialogActions}>
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" disabled={text.trim() === ''} loading={finding.isPending}>
          Find
        </Button>
      </div>
    </form>
  );
}
