import { Button, Skeleton } from '@mantine/core';
import {
  type Icon as Glyph,
  IconAlertTriangle,
  IconEye,
  IconPencil,
  IconPlayerPlay,
  IconRepeat,
  IconWorld,
} from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ConfiguredServer, ToolInfo } from '../../../preload/contract.ts';
import { PermissionControls, ToolSwitch } from '../../permissions/permissions-section.tsx';
import type { PermissionsEditor } from '../../permissions/use-permissions.ts';
import { unwrap } from '../../shared/answered.ts';
import { Card } from '../../shared/card.tsx';
import { Dialog } from '../../shared/dialog.tsx';
import { Icon } from '../../shared/icon.tsx';
import layout from '../../shared/layout.module.css';
import { FailureNotice, Notice } from '../../shared/notice.tsx';
import { badgesOf, type ToolBadge } from '../format.ts';
import { strings } from '../strings.ts';
import type { FollowUp } from './follow-up.ts';
import styles from './tools.module.css';
import { TryTool } from './try-tool.tsx';

const texts = strings.toolList;

/** What a server's tools do, who may use them, and a form to try each. */
export function ToolList({ server, permissions }: { server: ConfiguredServer; permissions: PermissionsEditor }) {
  const { name, state } = server;
  const [trying, setTrying] = useState<FollowUp | null>(null);
  const listing = useQuery({
    queryKey: ['tools', name, state.status, state.tools],
    queryFn: () => unwrap(window.causeway.request.listTools({ name })),
    enabled: state.status === 'ready',
    placeholderData: keepPreviousData,
    gcTime: 0,
  });
  const { tools, warnings } = listing.data ?? { tools: [], warnings: [] };
  const isWaiting = state.status === 'connecting' || (state.status === 'ready' && listing.isPending);
  const isLater = state.status !== 'ready' && tools.length === 0;
  return (
    <div aria-busy={isWaiting}>
      <Card title={texts.title} isFlush>
        <div className={layout.row}>
          <PermissionControls editor={permissions} />
        </div>
        {isWaiting ? (
          <div className={layout.row}>
            <Waiting />
          </div>
        ) : (
          <>
            {(listing.error || isLater || warnings.length > 0) && (
              <div className={`${layout.row} ${layout.stack}`}>
                <FailureNotice error={listing.error} onRetry={listing.refetch} />
                {isLater && <p className={layout.quiet}>{texts.later}</p>}
                {warnings.length > 0 && (
                  <Notice tone="note" message={texts.longNames} remedy={texts.longNamesRemedy(warnings.join(' '))} />
                )}
              </div>
            )}
            {tools.length > 0 && (
              <ul className={styles.tools} aria-label={texts.list}>
                {tools.map((tool) => (
                  <ToolRow
                    key={tool.name}
                    tool={tool}
                    permissions={permissions}
                    onTry={() => setTrying({ tool, values: {} })}
                  />
                ))}
              </ul>
            )}
          </>
        )}
      </Card>
      <Trying server={server} tools={tools} trying={trying} onFollow={setTrying} onClose={() => setTrying(null)} />
    </div>
  );
}

interface TryingProps {
  server: ConfiguredServer;
  tools: readonly ToolInfo[];
  /** Null while the dialog is closed. */
  trying: FollowUp | null;
  onFollow(next: FollowUp): void;
  onClose(): void;
}

function Trying({ server, tools, trying, onFollow, onClose }: TryingProps) {
  return (
    <Dialog opened={trying !== null} onClose={onClose} title={trying ? texts.tryTool(trying.tool.name) : ''} size="xl">
      {trying && <TryTool key={trying.tool.name} server={server} {...trying} tools={tools} onFollow={onFollow} />}
    </Dialog>
  );
}

function ToolRow({ tool, permissions, onTry }: { tool: ToolInfo; permissions: PermissionsEditor; onTry(): void }) {
  const { name, title, description } = tool;
  const [first = '', ...rest] = description.trim().split(/\n\s*\n/);
  const badges = badgesOf(tool);
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
            <summary>{texts.more(name)}</summary>
            <p className={styles.about}>{rest.join('\n\n')}</p>
          </details>
        )}
        {badges.length > 0 && (
          <ul className={styles.badges} aria-label={texts.hints}>
            {badges.map((badge) => (
              <li key={badge} className={styles.badge} data-badge={badge}>
                <Icon of={BADGES[badge]} />
                {texts[badge]}
              </li>
            ))}
          </ul>
        )}
      </div>
      <div className={styles.controls}>
        <ToolSwitch name={name} editor={permissions} />
        <Button
          variant="default"
          size="compact-sm"
          leftSection={<Icon of={IconPlayerPlay} />}
          aria-label={texts.tryTool(name)}
          onClick={onTry}
        >
          {texts.try}
        </Button>
      </div>
    </li>
  );
}

const BADGES: Record<ToolBadge, Glyph> = {
  readOnly: IconEye,
  destructive: IconAlertTriangle,
  writes: IconPencil,
  idempotent: IconRepeat,
  openWorld: IconWorld,
};

function Waiting() {
  return ['first', 'second', 'third'].map((row) => <Skeleton key={row} height={56} mb={8} />);
}
