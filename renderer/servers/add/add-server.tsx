import { Button, Modal } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useLayoutEffect, useRef, useState } from 'react';
import type { DesktopState, OfferedServerInfo, ServerKind } from '../../../preload/contract.ts';
import { formatHost, formatServerKind } from '../../../preload/format.ts';
import { unwrap } from '../../shared/answered.ts';
import { Form, TextField } from '../../shared/form.tsx';
import layout from '../../shared/layout.module.css';
import { FailureNotice, Notice } from '../../shared/notice.tsx';
import { addressOf, showScreen } from '../../shared/screen.ts';
import { KIND_HINTS } from '../format.ts';
import styles from './add.module.css';
import { ChooseTarget } from './choose-target.tsx';
import { OfferedList } from './offered-list.tsx';

interface AddServerProps {
  opened: boolean;
  state: DesktopState;
  onClose(): void;
}

/** The dialog in which a server is found by what it is to show, named, and added. */
export function AddServer({ opened, state, onClose }: AddServerProps) {
  return (
    <Modal opened={opened} onClose={onClose} title="Add a server" size="lg">
      {state.profile === null || state.warehouse.status !== 'known' ? (
        <p>
          Sign in first: Causeway shows what your workspace has once you are signed in.{' '}
          <a href={addressOf('warehouse')} onClick={onClose}>
            Go to your workspace
          </a>
        </p>
      ) : (
        <AddForm
          profile={state.profile}
          host={state.warehouse.effective.host}
          existingNames={state.servers.map(({ name }) => name)}
          onClose={onClose}
        />
      )}
    </Modal>
  );
}

/** Everything that the workspace offers, or one kind of it. */
type Choice = ServerKind | 'all';

const CHOICES: readonly Choice[] = ['all', 'sql', 'genie', 'vector-search', 'functions', 'other'];

interface AddFormProps {
  profile: string;
  host: string;
  existingNames: readonly string[];
  onClose(): void;
}

function AddForm({ profile, host, existingNames, onClose }: AddFormProps) {
  const { request } = window.causeway;
  const [choice, setChoice] = useState<Choice>('all');
  const [offered, setOffered] = useState<OfferedServerInfo | null>(null);
  const [target, setTarget] = useState<string | null>(null);
  const kind = choice === 'all' ? (offered?.kind ?? 'other') : choice;
  const path = choice === 'all' ? (offered?.path ?? undefined) : undefined;
  const [ownName, setOwnName] = useState<string | null>(null);
  const proposal = useQuery({
    queryKey: ['proposal', profile, kind, target, path, existingNames],
    queryFn: () => unwrap(request.proposeServer({ profile, kind, target: target ?? '', path })),
    enabled: target !== null,
    gcTime: 0,
  });
  const name = ownName ?? proposal.data?.name ?? '';
  const nameField = useRef<HTMLInputElement>(null);
  // A proposed name that arrives while the field has the focus is selected, so that typing replaces it, as on focus.
  useLayoutEffect(() => {
    const isHere = document.activeElement === nameField.current;
    if (isHere && ownName === null && name !== '') nameField.current?.select();
  }, [name, ownName]);
  const adding = useMutation({
    mutationFn: (server: { path: string; name: string }) => unwrap(request.addServer({ profile, kind, ...server })),
    onSuccess: (_, added) => {
      onClose();
      showScreen('servers', added.name);
    },
  });
  const choose = (chosen: string | null) => {
    setTarget(chosen);
    adding.reset();
  };
  const chooseOffered = (server: OfferedServerInfo | null) => {
    setOffered(server);
    // An app is added with the command, which asks whether tokens may go to its address.
    choose(server === null || server.path === null ? null : server.add);
  };
  const add = () => {
    if (proposal.data) adding.mutate({ path: proposal.data.path, name: name.trim() });
  };
  return (
    <Form
      onSubmit={add}
      error={adding.error}
      actions={
        <>
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button
            type="submit"
            disabled={!proposal.data || target === null || name.trim() === ''}
            loading={adding.isPending}
          >
            Add
          </Button>
        </>
      }
    >
      <fieldset className={styles.kinds}>
        <legend>What is it to show?</legend>
        {CHOICES.map((each) => (
          <label key={each} className={styles.kind} data-chosen={each === choice}>
            <input
              type="radio"
              name="kind"
              value={each}
              checked={each === choice}
              data-autofocus={each === 'all' || undefined}
              onChange={() => {
                setChoice(each);
                setOffered(null);
                choose(each === 'sql' ? '' : null);
              }}
            />
            {each === 'all' ? 'Everything' : formatServerKind(each)}
          </label>
        ))}
      </fieldset>
      {choice === 'all' ? (
        <OfferedList profile={profile} chosen={offered} onChoose={chooseOffered} />
      ) : (
        <>
          <p>{KIND_HINTS[choice]}</p>
          <ChooseTarget key={choice} kind={choice} profile={profile} target={target} onChoose={choose} />
        </>
      )}
      {offered?.path === null && (
        <Notice
          tone="note"
          message={`${offered.title} is an app, with an address of its own.`}
          remedy={`Add it with: causeway servers add ${offered.add} --profile ${profile}. The command shows the address, and asks whether your sign-in may go there.`}
        />
      )}
      <TextField
        ref={nameField}
        label="Name"
        description="AI clients show it before each tool’s name: short is better. Use a-z, 0-9 and “-”."
        value={name}
        onChange={(typed) => {
          setOwnName(typed);
          adding.reset();
        }}
        spellCheck={false}
      />
      <p className={layout.quiet}>
        {proposal.data && target !== null ? (
          <>
            <code>{proposal.data.path}</code> on {formatHost(host)}, as {profile}
          </>
        ) : (
          `On ${formatHost(host)}, as ${profile}`
        )}
      </p>
      <FailureNotice error={target ? proposal.error : null} />
    </Form>
  );
}
