import { Button, Modal, Skeleton } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ConfiguredServer, ToolInfo } from '../../../preload/contract.ts';
import { ToolSwitch } from '../../rules/rules-section.tsx';
import type { RulesEditor } from '../../rules/use-rules.ts';
import { unwrap } from '../../shared/answered.ts';
import layout from '../../shared/layout.module.css';
import { FailureNotice, Notice } from '../../shared/notice.tsx';
import { formatEffect } from '../format.ts';
import styles from './tools.module.css';
import { TryTool } from './try-tool.tsx';

/** What a server's tools do, and a form to try each. */
export function ToolList({ server, rules }: { server: ConfiguredServer; rules: RulesEditor }) {
  const { name, state } = server;
  const [trying, setTrying] = useState<{ tool: ToolInfo; values: Record<string, string> } | null>(null);
  const listing = useQuery({
    queryKey: ['tools', name, state.status, state.tools],
    queryFn: () => unwrap(window.causeway.request.listTools({ name })),
    enabled: state.status === 'ready',
    placeholderData: keepPreviousData,
    gcTime: 0,
  });
  const { tools, warnings } = listing.data ?? { tools: [], warnings: [] };
  const isWaiting = state.status === 'connecting' || (state.status === 'ready' && listing.isPending);
  return (
    <section className={layout.stack} aria-busy={isWaiting}>
      <h2>Tools</h2>
      {isWaiting ? (
        <Waiting />
      ) : (
        <>
          <FailureNotice error={listing.error} onRetry={listing.refetch} />
          {state.status !== 'ready' && tools.length === 0 && (
            <p className={layout.quiet}>Its tools show once it is ready.</p>
          )}
          {warnings.length > 0 && (
            <Notice
              tone="note"
              message="Some tool names are too long for some AI clients."
              remedy={`${warnings.join(' ')} A shorter name for the server leaves them more room.`}
            />
          )}
          {tools.length > 0 && (
            <ul className={layout.list} aria-label="Tools">
              {tools.map((tool) => (
                <ToolRow key={tool.name} tool={tool} rules={rules} onTry={() => setTrying({ tool, values: {} })} />
              ))}
            </ul>
          )}
        </>
      )}
      <Modal
        opened={trying !== null}
        onClose={() => setTrying(null)}
        title={trying ? `Try ${trying.tool.name}` : ''}
        size="lg"
      >
        {trying && (
          <TryTool
            key={trying.tool.name}
            server={server}
            tool={trying.tool}
            tools={tools}
            values={trying.values}
            onFollow={setTrying}
          />
        )}
      </Modal>
    </section>
  );
}

function ToolRow({ tool, rules, onTry }: { tool: ToolInfo; rules: RulesEditor; onTry(): void }) {
  const { name, title, description } = tool;
  const [first = '', ...rest] = description.trim().split(/\n\s*\n/);
  const effect = formatEffect(tool);
  return (
    <li className={`${layout.row} ${layout.split}`}>
      <div>
        <p className={layout.name}>
          <code>{name}</code>
        </p>
        {title && <p>{title}</p>}
        {first && <p className={styles.about}>{first}</p>}
        {rest.length > 0 && (
          <details className={styles.more}>
            <summary>More about {name}</summary>
            <p className={styles.about}>{rest.join('\n\n')}</p>
          </details>
        )}
        {effect && <p className={layout.quiet}>{effect}</p>}
      </div>
      <div className={styles.controls}>
        <ToolSwitch name={name} editor={rules} />
        <Button variant="default" size="compact-sm" aria-label={`Try ${name}…`} onClick={onTry}>
          Try…
        </Button>
      </div>
    </li>
  );
}

function Waiting() {
  return ['first', 'second', 'third'].map((row) => <Skeleton key={row} height={56} />);
}
