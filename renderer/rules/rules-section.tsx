import { Button, NativeSelect, Switch } from '@mantine/core';
import { useId } from 'react';
import layout from '../shared/layout.module.css';
import { ActionFailure, FailureNotice } from '../shared/notice.tsx';
import styles from './rules.module.css';
import { choicesForNewTools, isSwitchState, type RulesEditor } from './use-rules.ts';

/** What AI clients may do, for a server or for all of them: all clients or one of them, read only, and tools that are new. */
export function RulesSection({ title, editor }: { title: string; editor: RulesEditor }) {
  const { scope, rules, changing, pending, clearing } = editor;
  const id = useId();
  const { data } = rules;
  // What is new at every server can be decided for all clients only.
  const decidesNewTools = scope.server !== null || scope.client === null;
  return (
    <section className={layout.stack} aria-label={title}>
      <h2>{title}</h2>
      <FailureNotice error={rules.error} onRetry={rules.refetch} />
      {data && (
        <>
          <div className={styles.controls}>
            <NativeSelect
              label="Rules for"
              value={scope.client ?? ''}
              data={[
                { value: '', label: 'All AI clients' },
                ...data.clients.map(({ id: client, name, hasRules }) => ({
                  value: client,
                  label: hasRules ? `${name} (has rules)` : name,
                })),
              ]}
              onChange={({ currentTarget }) => editor.choose(currentTarget.value || null)}
            />
            {decidesNewTools && (
              <NativeSelect
                label="New tools"
                value={pending?.newTools ?? data.newTools ?? ''}
                data={choicesForNewTools(scope, data)}
                onChange={({ currentTarget: { value } }) => {
                  if (isSwitchState(value)) changing.mutate({ newTools: value });
                }}
              />
            )}
            {!data.isEmpty && (
              <Button variant="default" onClick={() => clearing.mutate()}>
                Remove these rules
              </Button>
            )}
          </div>
          <Switch
            id={id}
            label="Read only"
            description={
              data.readOnlyBy ??
              'Only tools that the server marks as read-only. Causeway cannot check whether that is true.'
            }
            checked={(pending?.readOnly ?? data.readOnly) || data.readOnlyBy !== null}
            disabled={data.readOnlyBy !== null}
            onChange={({ currentTarget }) => changing.mutate({ readOnly: currentTarget.checked })}
          />
        </>
      )}
      <ActionFailure error={changing.error ?? clearing.error} />
    </section>
  );
}

const STATES = { allow: 'on', ask: 'ask', refuse: 'off' } as const;

/** Whether the clients of the scope may use one tool. */
export function ToolSwitch({ name, editor }: { name: string; editor: RulesEditor }) {
  const tool = editor.rules.data?.tools.find((each) => each.name === name);
  if (!tool) return null;
  const wanted = editor.pending?.tool?.name === name ? editor.pending.tool.state : undefined;
  return (
    <NativeSelect
      size="xs"
      aria-label={`May ${name} be used?`}
      title={tool.decidedBy ?? undefined}
      value={wanted ?? STATES[tool.allowed]}
      data={[
        { value: 'on', label: 'On' },
        { value: 'ask', label: 'Ask first' },
        { value: 'off', label: tool.isReadOnly ? 'Off: read only' : 'Off' },
      ]}
      disabled={tool.isReadOnly}
      onChange={({ currentTarget: { value } }) => {
        if (isSwitchState(value)) editor.changing.mutate({ tool: { name, state: value } });
      }}
    />
  );
}
