import { Spotlight, spotlight } from '@mantine/spotlight';
import { useMutation } from '@tanstack/react-query';
import { Fragment, type KeyboardEvent, useEffect, useId, useMemo, useState } from 'react';
import type { DesktopState, Reply } from '../../preload/contract.ts';
import { AddWorkspaceDialog } from '../accounts/add-workspace.tsx';
import { ConfirmSignOut } from '../accounts/confirm-sign-out.tsx';
import { useAccounts } from '../accounts/use-accounts.ts';
import { useClients } from '../clients/use-clients.ts';
import { unwrap, useAnswer } from '../shared/answered.ts';
import { Icon } from '../shared/icon.tsx';
import { showScreen, startOnScreen } from '../shared/screen.ts';
import { toast } from '../shared/toast.tsx';
import { ChangeDefault } from '../warehouse/change-default.tsx';
import { ConfirmChange } from '../warehouse/confirm-change.tsx';
import { type Command, type CommandAction, commandsFor, findCommands } from './commands.ts';
import styles from './palette.module.css';
import { formatKeys } from './shortcuts.ts';
import { openShortcuts } from './shortcuts-dialog.tsx';
import { strings } from './strings.ts';

/** Opens the command palette. */
export function openPalette(): void {
  spotlight.open();
}

interface PaletteProps {
  state: DesktopState;
  /** Hears why a command failed, and null when the next one is started. */
  onFailure(error: Error | null): void;
}

/** The command palette, and the questions that some of its commands ask. */
export function Palette({ state, onFailure }: PaletteProps) {
  const [query, setQuery] = useState('');
  const [change, setChange] = useState<'stop' | null>(null);
  const [changingDefault, setChangingDefault] = useState(false);
  const [leaving, setLeaving] = useState<string | null>(null);
  const [adding, setAdding] = useState(false);
  const { request } = window.causeway;
  const profile = state.profile ?? '';
  const running = useMutation({
    mutationFn: async ({ send, done }: { send(): Promise<Reply<undefined>>; done?: string }) => {
      await unwrap(send());
      return done;
    },
    onMutate: () => onFailure(null),
    onError: onFailure,
    onSuccess: (done) => done && toast(done),
  });
  const run = (action: CommandAction) => {
    switch (action.do) {
      case 'open':
        return showScreen(action.screen, action.item);
      case 'add-server':
        return startOnScreen('servers', 'add');
      case 'use-warehouse': {
        const { id: warehouseId, name } = action.warehouse;
        const send = () => request.setOverride({ profile, wanted: { type: 'CUSTOM', warehouseId } });
        return running.mutate({ send, done: strings.done.switched(name) });
      }
      case 'start-warehouse': {
        const { id: warehouseId, name } = action.warehouse;
        const send = () => request.startWarehouse({ profile, warehouseId });
        return running.mutate({ send, done: strings.done.starting(name) });
      }
      case 'stop-warehouse':
        return setChange('stop');
      case 'change-default':
        return setChangingDefault(true);
      case 'choose-profile':
        return void request.chooseProfile({ profile: action.profile });
      case 'sign-in':
        showScreen('accounts');
        return void request.signInTo({ profile: action.profile });
      case 'sign-out':
        return setLeaving(action.profile);
      case 'add-workspace':
        return setAdding(true);
      case 'copy-diagnostics':
        return running.mutate({ send: () => request.copyDiagnostics(), done: strings.done.copied });
      case 'check-for-updates':
        showScreen('settings');
        return void request.checkForUpdates();
      case 'show-shortcuts':
        return openShortcuts();
    }
  };
  return (
    <>
      <Spotlight.Root
        query={query}
        onQueryChange={setQuery}
        shortcut="mod + K"
        tagsToIgnore={[]}
        lockScroll={false}
        transitionProps={{ duration: 120 }}
        overlayProps={{ backgroundOpacity: 0.3, blur: 0 }}
        attributes={{ content: { 'aria-label': strings.palette.title } }}
        classNames={{ content: styles.content, search: styles.search }}
      >
        <Commands state={state} query={query} onRun={run} />
      </Spotlight.Root>
      {state.warehouse.status === 'known' && (
        <ConfirmChange effective={state.warehouse.effective} change={change} onClose={() => setChange(null)} />
      )}
      <ChangeDefault profile={profile} opened={changingDefault} onClose={() => setChangingDefault(false)} />
      <ConfirmSignOut profile={leaving} onClose={() => setLeaving(null)} />
      <AddWorkspaceDialog opened={adding} existingNames={state.profiles} onClose={() => setAdding(false)} />
    </>
  );
}

interface CommandsProps {
  state: DesktopState;
  query: string;
  onRun(action: CommandAction): void;
}

/** The search and what it finds. Mounted while the palette is open: only then is anything asked. */
function Commands({ state, query, onRun }: CommandsProps) {
  const list = useId();
  const { request } = window.causeway;
  const { profile } = state;
  const warehouses = useAnswer(['warehouses', profile], () => request.listWarehouses({ profile: profile ?? '' }), {
    enabled: profile !== null && state.warehouse.status === 'known',
    gcTime: 0,
  });
  const clients = useClients(state.servers);
  const accounts = useAccounts(state);
  const commands = useMemo(
    () =>
      commandsFor({
        state,
        warehouses: warehouses.data ?? state.choices?.warehouses ?? [],
        clients: clients.data?.clients ?? [],
        accounts: accounts.data ?? [],
      }),
    [state, warehouses.data, clients.data, accounts.data],
  );
  const found = findCommands(commands, query);
  const run = (command: Command) => {
    spotlight.close();
    onRun(command.action);
  };
  const { selected, onKeyDown } = useSelection(found, run);
  const idOf = ({ id }: Command) => `${list} ${id}`.replaceAll(' ', '-');
  return (
    <>
      <Spotlight.Search
        role="combobox"
        aria-label={strings.palette.search}
        aria-expanded
        aria-controls={list}
        aria-activedescendant={selected && idOf(selected)}
        placeholder={strings.palette.search}
        autoComplete="off"
        spellCheck={false}
        onKeyDown={onKeyDown}
      />
      <div id={list} role="listbox" aria-label={strings.palette.title} className={styles.list}>
        {found.map((command, place) => (
          <Fragment key={command.id}>
            {query.trim() === '' && command.group !== found[place - 1]?.group && (
              <div role="presentation" className={styles.group}>
                {strings.palette.groups[command.group]}
              </div>
            )}
            <button
              type="button"
              id={idOf(command)}
              role="option"
              aria-selected={command === selected}
              data-selected={command === selected || undefined}
              tabIndex={-1}
              className={styles.action}
              onClick={() => run(command)}
            >
              <Icon of={command.icon} />
              <span className={styles.label}>{command.label}</span>
              {command.description && <span className={styles.description}>{command.description}</span>}
              {command.keys && <kbd className={styles.keys}>{formatKeys(command.keys)}</kbd>}
            </button>
          </Fragment>
        ))}
      </div>
      {found.length === 0 && (
        <p role="status" className={styles.nothing}>
          {strings.palette.nothing(query.trim())}
        </p>
      )}
    </>
  );
}

/** The command that Enter runs: the first one found, until the arrow keys lead to another. */
function useSelection(found: readonly Command[], run: (command: Command) => void) {
  const [selectedId, select] = useState<string | null>(null);
  const selected = found.find(({ id }) => id === selectedId) ?? found[0];
  const first = found[0]?.id;
  // biome-ignore lint/correctness/useExhaustiveDependencies: other commands begin at the first one again
  useEffect(() => select(null), [first]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is selected comes into sight
  useEffect(
    () => void document.querySelector('[role=option][data-selected]')?.scrollIntoView({ block: 'nearest' }),
    [selected?.id],
  );
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing || !selected) return;
    if (event.key === 'Enter') return run(selected);
    const step = STEPS[event.key];
    if (step === undefined) return;
    const next = (found.indexOf(selected) + step + found.length) % found.length;
    select(found[next]?.id ?? null);
  };
  return { selected, onKeyDown };
}

const STEPS: Partial<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };
