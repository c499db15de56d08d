import { Button } from '@mantine/core';
import { type Icon as Glyph, IconLayoutGrid } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useLayoutEffect, useRef, useState } from 'react';
import type { DesktopState, OfferedGroup, OfferedServerInfo, RequestOutputs } from '../../../preload/contract.ts';
import { formatHost } from '../../../preload/format.ts';
import { unwrap } from '../../shared/answered.ts';
import { Dialog } from '../../shared/dialog.tsx';
import { Form, TextField } from '../../shared/form.tsx';
import { Icon } from '../../shared/icon.tsx';
import layout from '../../shared/layout.module.css';
import { Managed } from '../../shared/managed.tsx';
import { FailureNotice, Notice } from '../../shared/notice.tsx';
import { addressOf, showScreen } from '../../shared/screen.ts';
import { toast } from '../../shared/toast.tsx';
import { ReviewApp } from '../confirm-app.tsx';
import { TYPE_GLYPHS } from '../server-icon.tsx';
import { strings } from '../strings.ts';
import styles from './add.module.css';
import { OfferedList } from './offered-list.tsx';

interface AddServerProps {
  opened: boolean;
  state: DesktopState;
  onClose(): void;
}

const texts = strings.addDialog;

/** The dialog in which a server is found by what it offers, named, and added. */
export function AddServer({ opened, state, onClose }: AddServerProps) {
  return (
    <Dialog opened={opened} onClose={onClose} title={texts.title} size="lg">
      <Managed managed={state.managed} by={['servers']} />
      {state.profile === null || state.warehouse.status !== 'known' ? (
        <p>
          {texts.signIn}{' '}
          <a href={addressOf('warehouse')} onClick={onClose}>
            {texts.goToWarehouse}
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
    </Dialog>
  );
}

/** Everything that the workspace offers, one kind of it, or what has no kind of its own or only a path. */
type Choice = 'all' | 'sql' | 'genie' | 'search' | 'functions' | 'other';

const CHOICES: readonly [Choice, string, Glyph][] = [
  ['all', texts.all, IconLayoutGrid],
  ['sql', strings.types.sql, TYPE_GLYPHS.sql],
  ['genie', strings.types.genie, TYPE_GLYPHS.genie],
  ['search', strings.types.search, TYPE_GLYPHS.search],
  ['functions', strings.types.functions, TYPE_GLYPHS.functions],
  ['other', strings.types.other, TYPE_GLYPHS.other],
];

const GROUPS: Record<Choice, readonly OfferedGroup[] | undefined> = {
  all: undefined,
  sql: ['sql'],
  genie: ['genie'],
  search: ['search'],
  functions: ['functions'],
  other: ['services', 'connections', 'apps'],
};

interface AddFormProps {
  profile: string;
  host: string;
  existingNames: readonly string[];
  onClose(): void;
}

function AddForm({ profile, host, existingNames, onClose }: AddFormProps) {
  const { request } = window.causeway;
  const queries = useQueryClient();
  const [choice, setChoice] = useState<Choice>('all');
  const [offered, setOffered] = useState<OfferedServerInfo | null>(null);
  const [target, setTarget] = useState<string | null>(null);
  const [isConfirming, setConfirming] = useState(false);
  const isApp = offered?.path === null;
  const proposal = useQuery({
    queryKey: ['proposal', profile, isApp, target, existingNames],
    queryFn: () => unwrap(request.proposeServer({ profile, [isApp ? 'word' : 'path']: target ?? '' })),
    enabled: target !== null,
    gcTime: 0,
  });
  const { name, nameField, setOwnName } = useName(proposal.data?.name ?? '');
  const adding = useMutation({
    mutationFn: async (server: { path: string; name: string; title?: string | undefined; confirmed?: string }) => {
      await unwrap(request.addServer({ profile, ...server }));
      return server;
    },
    onSuccess: (added) => {
      void queries.invalidateQueries({ queryKey: ['clients'] });
      toast(texts.added(added.title ?? offered?.title ?? added.name));
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
    choose(server && (server.path ?? server.add));
  };
  const isReady = proposal.data !== undefined && name.trim() !== '';
  if (isConfirming && offered) {
    return (
      <>
        <p className={layout.name}>{strings.app.title(offered.title)}</p>
        <ReviewApp
          app={offered.title}
          source={{ profile }}
          back={texts.back}
          onConfirm={({ path: appPath, origin }) =>
            adding.mutateAsync({ path: appPath, name: name.trim(), confirmed: origin })
          }
          onClose={() => setConfirming(false)}
        />
      </>
    );
  }
  return (
    <Form
      onSubmit={() => {
        if (isReady && isApp) setConfirming(true);
        else if (isReady) adding.mutate({ path: proposal.data.path, title: proposal.data.title, name: name.trim() });
      }}
      error={adding.error}
      actions={
        <>
          <Button variant="default" onClick={onClose}>
            {texts.cancel}
          </Button>
          <Button type="submit" disabled={!isReady} loading={adding.isPending}>
            {isApp ? texts.next : texts.submit}
          </Button>
        </>
      }
    >
      <Kinds
        choice={choice}
        onChoose={(each) => {
          setChoice(each);
          chooseOffered(null);
        }}
      />
      {choice !== 'all' && <p className={layout.quiet}>{texts.hints[choice]}</p>}
      {choice === 'other' && (
        <TextField
          label={texts.path}
          description={texts.pathHint}
          value={offered === null ? (target ?? '') : ''}
          onChange={(typed) => {
            setOffered(null);
            choose(typed.trim() === '' ? null : typed);
          }}
          spellCheck={false}
        />
      )}
      <OfferedList key={choice} profile={profile} groups={GROUPS[choice]} chosen={offered} onChoose={chooseOffered} />
      <TextField
        ref={nameField}
        label={texts.name}
        description={texts.nameHint}
        value={name}
        onChange={(typed) => {
          setOwnName(typed);
          adding.reset();
        }}
        spellCheck={false}
      />
      <Proposed proposal={proposal.data} place={texts.at(formatHost(host), profile)} />
      <FailureNotice error={proposal.error} />
    </Form>
  );
}

/** The name that the user has typed, or else the proposed one. */
function useName(proposed: string) {
  const [ownName, setOwnName] = useState<string | null>(null);
  const name = ownName ?? proposed;
  const nameField = useRef<HTMLInputElement>(null);
  // A proposed name that arrives while the field has the focus is selected, so that typing replaces it, as on focus.
  useLayoutEffect(() => {
    const isHere = document.activeElement === nameField.current;
    if (isHere && ownName === null && name !== '') nameField.current?.select();
  }, [name, ownName]);
  return { name, nameField, setOwnName };
}

function Kinds({ choice, onChoose }: { choice: Choice; onChoose(choice: Choice): void }) {
  return (
    <fieldset className={styles.kinds}>
      <legend>{texts.type}</legend>
      {CHOICES.map(([each, label, glyph]) => (
        <label key={each} className={styles.kind} data-chosen={each === choice}>
          <input
            type="radio"
            name="kind"
            value={each}
            checked={each === choice}
            data-autofocus={each === 'all' || undefined}
            onChange={() => onChoose(each)}
          />
          <Icon of={glyph} />
          {label}
        </label>
      ))}
    </fieldset>
  );
}

interface ProposedProps {
  proposal: RequestOutputs['proposeServer'] | undefined;
  /** The workspace and the profile. */
  place: string;
}

function Proposed({ proposal, place }: ProposedProps) {
  if (!proposal) return <p className={layout.quiet}>{place}</p>;
  const { path, same } = proposal;
  return (
    <>
      {same !== null && <Notice tone="note" message={texts.already(same)} remedy={texts.alreadyRemedy} />}
      <p className={layout.quiet}>
        <code>{path}</code>
        <br />
        {place}
      </p>
    </>
  );
}
