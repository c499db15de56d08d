import { Button, Modal } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { Person } from '../../preload/contract.ts';
import { answered } from '../shared/answered.ts';
import { Form, TextField } from '../shared/form.tsx';
import { OpeningOption, Options } from '../shared/options.tsx';
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
  const several = finding.data ?? [];
  return (
    <Form
      onSubmit={() => finding.mutate()}
      error={finding.error}
      actions={
        <>
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" disabled={text.trim() === ''} loading={finding.isPending}>
            Find
          </Button>
        </>
      }
    >
      <TextField label="Name, e-mail address or user id" value={text} onChange={setText} data-autofocus />
      {several.length > 1 && (
        <>
          <p role="status">{several.length} people fit. Which one?</p>
          <Options label="People" isBusy={false} isShort>
            {several.map((person) => (
              <OpeningOption
                key={person.id}
                title={nameOf(person)}
                about={person.userName || person.id}
                onOpen={() => onFound(person)}
              />
            ))}
          </Options>
        </>
      )}
    </Form>
  );
}
