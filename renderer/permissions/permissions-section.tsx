import { Button, NativeSelect, Switch } from '@mantine/core';
import { useId } from 'react';
import type { PermissionsInfo } from '../../preload/contract.ts';
import { Card } from '../shared/card.tsx';
import layout from '../shared/layout.module.css';
import { ActionFailure, FailureNotice } from '../shared/notice.tsx';
import { RelativeTime } from '../shared/relative-time.tsx';
import styles from './permissions.module.css';
import { strings } from './strings.ts';
import { choicesForNewTools, isSwitchState, type PermissionsEditor } from './use-permissions.ts';

/** What AI clients may do at all servers. */
export function PermissionsSection({ title, editor }: { title: string; editor: PermissionsEditor }) {
  return (
    <Card title={title}>
      <PermissionControls editor={editor} />
    </Card>
  );
}

/** The permissions of a scope: for all clients or one of them, whether tools that are new are allowed, and read only. */
export function PermissionControls({ editor }: { editor: PermissionsEditor }) {
  const { permissions, changing, clearing } = editor;
  const { data } = permissions;
  return (
    <div className={styles.section}>
      <FailureNotice error={permissions.error} onRetry={permissions.refetch} />
      {data && <Controls editor={editor} data={data} />}
      <ActionFailure error={changing.error ?? clearing.error} />
      {data && data.changes.length > 0 && <LatestChanges changes={data.changes} />}
    </div>
  );
}

function Controls({ editor, data }: { editor: PermissionsEditor; data: PermissionsInfo }) {
  const { scope, changing, pending, clearing } = editor;
  const id = useId();
  // What is new at every server can be decided for all clients only.
  const decidesNewTools = scope.server !== null || scope.client === null;
  return (
    <>
      <div className={styles.controls}>
        <NativeSelect
          label={strings.appliesTo}
          value={scope.client ?? ''}
          data={[
            { value: '', label: strings.allClients },
            ...data.clients.map(({ id: client, name, hasPermissions }) => ({
              value: client,
              label: hasPermissions ? strings.hasPermissions(name) : name,
            })),
          ]}
          onChange={({ currentTarget }) => editor.choose(currentTarget.value || null)}
        />
        {decidesNewTools && (
          <NativeSelect
            label={strings.newTools}
            value={pending?.newTools ?? data.newTools ?? ''}
            data={choicesForNewTools(scope, data)}
            onChange={({ currentTarget: { value } }) => {
              if (isSwitchState(value)) changing.mutate({ newTools: value });
            }}
          />
        )}
        {!data.isEmpty && (
          <Button variant="default" onClick={() => clearing.mutate()}>
            {strings.clear}
          </Button>
        )}
      </div>
      <Switch
        id={id}
        label={strings.readOnly}
        description={data.readOnlyBy ?? (data.isReadOnlyByDefault ? strings.readOnlyDefault : strings.readOnlyHint)}
        checked={(pending?.readOnly ?? data.readOnly) || data.readOnlyBy !== null}
        disabled={data.readOnlyBy !== null}
        onChange={({ currentTarget }) => changing.mutate({ readOnly: currentTarget.checked })}
      />
    </>
  );
}

function LatestChanges({ changes }: Pick<PermissionsInfo, 'changes'>) {
  return (
    <details className={styles.changes}>
      <summary>{strings.latestChanges}</summary>
      <ul>
        {changes.map(({ at, by, what }) => (
          <li key={`${at} ${what}`}>
            {what}
            <span className={layout.quiet}>
              {' · '}
              {strings.changedBy[by]} · <RelativeTime at={at} />
            </span>
          </li>
        ))}
      </ul>
    </details>
  );
}

const STATES = { allow: 'on', ask: 'ask', block: 'off' } as const;

/** What can hold for a tool: nothing that is looser than the organization's permissions. */
function choicesFor({ isReadOnly, loosest }: PermissionsInfo['tools'][number]) {
  const blocked =
    loosest === 'block' ? strings.blockedByOrganization : isReadOnly ? strings.blockedReadOnly : strings.block;
  return [
    ...(loosest === 'allow' ? [{ value: 'on', label: strings.allow }] : []),
    ...(loosest === 'block' ? [] : [{ value: 'ask', label: strings.ask }]),
    { value: 'off', label: blocked },
  ];
}

/** Whether the clients of the scope may use one tool. */
export function ToolSwitch({ name, editor }: { name: string; editor: PermissionsEditor }) {
  const tool = editor.permissions.data?.tools.find((each) => each.name === name);
  if (!tool) return null;
  const wanted = editor.pending?.tool?.name === name ? editor.pending.tool.state : undefined;
  return (
    <NativeSelect
      size="xs"
      aria-label={strings.toolPermission(name)}
      title={tool.decidedBy ?? undefined}
      value={wanted ?? STATES[tool.allowed]}
      data={choicesFor(tool)}
      disabled={tool.isReadOnly || tool.loosest === 'block'}
      onChange={({ currentTarget: { value } }) => {
        if (isSwitchState(value)) editor.changing.mutate({ tool: { name, state: value } });
      }}
    />
  );
}
