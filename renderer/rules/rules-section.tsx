import { Button, NativeSelect, Switch } from '@mantine/core';
import { useId } from 'react';
import type { RulesOfScope } from '../../preload/contract.ts';
import { Card } from '../shared/card.tsx';
import layout from '../shared/layout.module.css';
import { ActionFailure, FailureNotice } from '../shared/notice.tsx';
import { RelativeTime } from '../shared/relative-time.tsx';
import styles from './rules.module.css';
import { strings } from './strings.ts';
import { choicesForNewTools, isSwitchState, type RulesEditor } from './use-rules.ts';

/** What AI clients may do at all servers. */
export function RulesSection({ title, editor }: { title: string; editor: RulesEditor }) {
  return (
    <Card title={title}>
      <RulesControls editor={editor} />
    </Card>
  );
}

/** The rules of a scope: for all clients or one of them, whether tools that are new are allowed, and read only. */
export function RulesControls({ editor }: { editor: RulesEditor }) {
  const { scope, rules, changing, pending, clearing } = editor;
  const id = useId();
  const { data } = rules;
  // What is new at every server can be decided for all clients only.
  const decidesNewTools = scope.server !== null || scope.client === null;
  return (
    <div className={styles.section}>
      <FailureNotice error={rules.error} onRetry={rules.refetch} />
      {data && (
        <>
          <div className={styles.controls}>
            <NativeSelect
              label={strings.appliesTo}
              value={scope.client ?? ''}
              data={[
                { value: '', label: strings.allClients },
                ...data.clients.map(({ id: client, name, hasRules }) => ({
                  value: client,
                  label: hasRules ? strings.hasRules(name) : name,
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
      )}
      <ActionFailure error={changing.error ?? clearing.error} />
      {data && data.changes.length > 0 && <LatestChanges changes={data.changes} />}
    </div>
  );
}

function LatestChanges({ changes }: Pick<RulesOfScope, 'changes'>) {
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

const STATES = { allow: 'on', ask: 'ask', refuse: 'off' } as const;

/** What can hold for a tool: nothing that is looser than the organization's rules. */
function choicesFor({ isReadOnly, loosest }: RulesOfScope['tools'][number]) {
  const blocked =
    loosest === 'refuse' ? strings.blockedByOrganization : isReadOnly ? strings.blockedReadOnly : strings.block;
  return [
    ...(loosest === 'allow' ? [{ value: 'on', label: strings.allow }] : []),
    ...(loosest === 'refuse' ? [] : [{ value: 'ask', label: strings.ask }]),
    { value: 'off', label: blocked },
  ];
}

/** Whether the clients of the scope may use one tool. */
export function ToolSwitch({ name, editor }: { name: string; editor: RulesEditor }) {
  const tool = editor.rules.data?.tools.find((each) => each.name === name);
  if (!tool) return null;
  const wanted = editor.pending?.tool?.name === name ? editor.pending.tool.state : undefined;
  return (
    <NativeSelect
      size="xs"
      aria-label={strings.toolPermission(name)}
      title={tool.decidedBy ?? undefined}
      value={wanted ?? STATES[tool.allowed]}
      data={choicesFor(tool)}
      disabled={tool.isReadOnly || tool.loosest === 'refuse'}
      onChange={({ currentTarget: { value } }) => {
        if (isSwitchState(value)) editor.changing.mutate({ tool: { name, state: value } });
      }}
    />
  );
}
