import { Button, Radio } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { overrideTarget } from '../../preload/contract/words/warehouse.ts';
import type { Person, WantedOverride } from '../../preload/contract.ts';
import { problemIn, unwrap } from '../shared/answered.ts';
import { Dialog } from '../shared/dialog.tsx';
import { Form, TextField } from '../shared/form.tsx';
import { Notice } from '../shared/notice.tsx';
import { OpeningOption, Options } from '../shared/options.tsx';
import { strings as shared } from '../shared/strings.ts';
import { toast } from '../shared/toast.tsx';
import { usePrevious } from '../shared/use-last.ts';
import { useWarehouseChoice, WarehouseChoice } from '../warehouse/warehouse-choice.tsx';
import { consequenceFor, counted, nameOfUser } from './format.ts';
import styles from './overrides.module.css';
import { strings } from './strings.ts';

const { dialog, find } = strings;

interface ChangeOverrideProps {
  profile: string;
  /** Whose; null while nothing is to be changed. */
  users: readonly Person[] | null;
  onClose(): void;
  onChanged(): void;
}

/** Changes one person's override, or leads to the plan for several. */
export function ChangeOverride({ users, onClose, ...rest }: ChangeOverrideProps) {
  const shown = usePrevious(users) ?? [];
  const [only, ...others] = shown;
  if (!only) return null;
  const who = others.length === 0 && only.userName + only.displayName !== '' ? nameOfUser(only) : null;
  const title = who ? dialog.of(who) : dialog.ofSeveral(counted(shown.length, 'user'));
  return (
    <Dialog opened={users !== null} onClose={onClose} title={title}>
      <Changing key={shown.map(({ id }) => id).join()} users={shown} who={who} onClose={onClose} {...rest} />
    </Dialog>
  );
}

interface ChangingProps {
  profile: string;
  users: readonly Person[];
  /** Null for several. */
  who: string | null;
  onClose(): void;
  onChanged(): void;
}

function Changing({ profile, users, who, onClose, onChanged }: ChangingProps) {
  const { request } = window.causeway;
  const [type, setType] = useState<WantedOverride['type']>('CUSTOM');
  const choice = useWarehouseChoice(profile, null, true);
  const { chosen } = choice;
  const [person] = users;
  const access = useQuery({
    queryKey: ['can-use', profile, person?.id, chosen?.id],
    queryFn: () => unwrap(request.canUserUse({ profile, userId: person?.id ?? '', warehouseId: chosen?.id ?? '' })),
    enabled: who !== null && type === 'CUSTOM' && chosen !== undefined,
    staleTime: 60_000,
  });
  const wanted: WantedOverride | null =
    type === 'CUSTOM' ? (chosen ? { type, warehouseId: chosen.id } : null) : { type };
  const changing = useMutation({
    mutationFn: async (wanted: WantedOverride) => {
      if (who !== null && person) return unwrap(request.setOverrideOf({ profile, user: person, wanted }));
      return unwrap(request.planForSelected({ profile, userIds: users.map(({ id }) => id), wanted }));
    },
    onSuccess: (_reply, wanted) => {
      if (who !== null) toast(wanted.type === 'NONE' ? strings.done.removed : strings.done.changed, 'overrides');
      onChanged();
      onClose();
    },
  });
  const isForbidden = type === 'CUSTOM' && chosen !== undefined && access.data === false;
  return (
    <Form
      onSubmit={() => wanted && changing.mutate(wanted)}
      error={changing.error}
      actions={
        <>
          <Button variant="default" onClick={onClose}>
            {shared.cancel}
          </Button>
          <Button type="submit" disabled={wanted === null} loading={changing.isPending}>
            {who === null ? dialog.review : isForbidden ? dialog.changeAnyway : dialog.change}
          </Button>
        </>
      }
    >
      {who !== null && person && <Now profile={profile} userId={person.id} />}
      <Radio.Group value={type} onChange={(value) => setType(readType(value))} aria-label={dialog.setting}>
        <div className={styles.choices}>
          <Radio value="CUSTOM" label={dialog.warehouse} />
          <Radio value="LAST_SELECTED" label={dialog.lastSelected} />
          <Radio value="NONE" label={dialog.none} />
        </div>
      </Radio.Group>
      {type === 'CUSTOM' && <WarehouseChoice choice={choice} />}
      {isForbidden ? (
        <Notice message={dialog.cannotUse(who ?? '', chosen.name)} remedy={dialog.grant} />
      ) : (
        <p className={styles.consequence} aria-live="polite">
          {consequenceFor(who ?? dialog.allOfThem, type, chosen, access.data)}
        </p>
      )}
    </Form>
  );
}

/** What a user's queries run on so far. */
function Now({ profile, userId }: { profile: string; userId: string }) {
  const now = useQuery({
    queryKey: ['override-of', profile, userId],
    queryFn: () => unwrap(window.causeway.request.overrideOf({ profile, userId })),
    gcTime: 0,
  });
  return (
    <p className={styles.now} role="status">
      {now.data === undefined && !now.error && dialog.loading}
      {now.error && problemIn(now.error).message}
      {now.data === null && dialog.noneNow}
      {now.data && dialog.now(overrideTarget(now.data))}
    </p>
  );
}

function readType(value: string): WantedOverride['type'] {
  return value === 'LAST_SELECTED' || value === 'NONE' ? value : 'CUSTOM';
}

interface FindPersonProps {
  profile: string;
  opened: boolean;
  onClose(): void;
  onFound(person: Person): void;
}

/** Finds who is to get an override, whether they have one or not. */
export function FindPerson({ opened, onClose, ...rest }: FindPersonProps) {
  return (
    <Dialog opened={opened} onClose={onClose} title={find.title}>
      <Finding onClose={onClose} {...rest} />
    </Dialog>
  );
}

function Finding({ profile, onClose, onFound }: Omit<FindPersonProps, 'opened'>) {
  const [text, setText] = useState('');
  const finding = useMutation({
    mutationFn: () => unwrap(window.causeway.request.findUsers({ profile, text })),
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
            {shared.cancel}
          </Button>
          <Button type="submit" disabled={text.trim() === ''} loading={finding.isPending}>
            {find.find}
          </Button>
        </>
      }
    >
      <TextField label={find.field} value={text} onChange={setText} data-autofocus />
      {several.length > 1 && (
        <>
          <p role="status">{find.several(several.length)}</p>
          <Options label={find.users} isBusy={false} isShort>
            {several.map((person) => (
              <OpeningOption
                key={person.id}
                title={nameOfUser(person)}
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
