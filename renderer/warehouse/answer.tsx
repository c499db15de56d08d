import { Button } from '@mantine/core';
import {
  IconBuilding,
  IconCopy,
  IconDatabase,
  IconExternalLink,
  IconHistory,
  IconHome,
  IconPinned,
  IconPlayerPlay,
  IconPlayerStop,
  IconShieldCheck,
} from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { isSqlServer } from '../../preload/contract/server-kinds.ts';
import { formatState } from '../../preload/contract/words/warehouse.ts';
import type { ConfiguredServer, EffectiveWarehouseInfo } from '../../preload/contract.ts';
import { effectiveName, formatSizeAndType, reasonFor } from '../../preload/format.ts';
import { unwrap } from '../shared/answered.ts';
import { Icon } from '../shared/icon.tsx';
import layout from '../shared/layout.module.css';
import { MoreMenu, type MoreMenuItem } from '../shared/more-menu.tsx';
import { ActionFailure } from '../shared/notice.tsx';
import { showScreen } from '../shared/screen.ts';
import { StateBadge } from '../shared/state-badge.tsx';
import { toast } from '../shared/toast.tsx';
import { type Change, useChange } from './confirm-change.tsx';
import { toneOf } from './format.ts';
import { strings } from './strings.ts';
import styles from './warehouse.module.css';

const { actions, done } = strings;

interface AnswerProps {
  effective: EffectiveWarehouseInfo;
  servers: readonly ConfiguredServer[];
  isVerifying: boolean;
  onPick(): void;
  onChange(change: Change): void;
  onVerify(): void;
  onChangeDefault(): void;
}

/** The answer itself, large, with the one action that changes it and a menu of all others. */
export function Answer({ effective, servers, isVerifying, onPick, onChange, onVerify, onChangeDefault }: AnswerProps) {
  const { profile, warehouse } = effective;
  const { request } = window.causeway;
  const ofWarehouse = { profile, warehouseId: warehouse?.id ?? '' };
  const starting = useChange(
    () => request.startWarehouse(ofWarehouse),
    () => toast(done.starting(effectiveName(effective))),
  );
  const copying = useMutation({
    mutationFn: () => unwrap(request.copyWarehouseId(ofWarehouse)),
    onSuccess: () => toast(done.idCopied, 'clipboard'),
  });
  const opening = useMutation({ mutationFn: () => unwrap(request.openWarehouse(ofWarehouse)) });
  const pinnable = servers.find((server) => server.profile === profile && isSqlServer(server.path));
  const items = [
    ...startOrStop(effective, { onStart: () => starting.mutate(), onStop: () => onChange('stop') }),
    ...settingItems(effective, onChange),
    ...(pinnable
      ? [{ label: actions.pin, icon: IconPinned, onClick: () => showScreen('servers', pinnable.name) }]
      : []),
    // The workspace lets its admins only read and change it.
    ...(effective.user.admin === true
      ? [{ label: actions.workspaceDefault, icon: IconBuilding, onClick: onChangeDefault }]
      : []),
    { label: actions.verify, icon: IconShieldCheck, onClick: onVerify, isDisabled: isVerifying, isSeparated: true },
    ...(warehouse
      ? [
          { label: actions.copyId, icon: IconCopy, onClick: () => copying.mutate() },
          { label: actions.openInDatabricks, icon: IconExternalLink, onClick: () => opening.mutate() },
        ]
      : []),
  ];
  return (
    <section className={styles.answer} aria-label={strings.region}>
      <div className={styles.head}>
        <div aria-live="polite" aria-atomic className={styles.said}>
          <h1 tabIndex={-1}>
            <span className={styles.lead}>{strings.lead} </span>
            <span className={styles.name}>{effectiveName(effective)}</span>
          </h1>
          <p className={styles.details}>
            {warehouse && <StateBadge tone={toneOf(warehouse.state)}>{formatState(warehouse.state)}</StateBadge>}
            {warehouse && formatSizeAndType(warehouse) && <span>{formatSizeAndType(warehouse)}</span>}
            <span>{reasonFor(effective)}</span>
          </p>
        </div>
        <div className={layout.actions}>
          <Button leftSection={<Icon of={IconDatabase} />} onClick={onPick}>
            {strings.change}
          </Button>
          <MoreMenu label={strings.more} items={items} />
        </div>
      </div>
      <ActionFailure error={starting.error ?? copying.error ?? opening.error} />
    </section>
  );
}

/** Starts or stops the warehouse, unless it is changing its state. */
function startOrStop(
  { warehouse }: EffectiveWarehouseInfo,
  { onStart, onStop }: { onStart(): void; onStop(): void },
): MoreMenuItem[] {
  if (warehouse?.state === 'STOPPED') return [{ label: actions.start, icon: IconPlayerPlay, onClick: onStart }];
  const runs = warehouse?.state === 'RUNNING' || warehouse?.state === 'STARTING';
  return runs ? [{ label: actions.stop, icon: IconPlayerStop, onClick: onStop }] : [];
}

function settingItems({ override }: EffectiveWarehouseInfo, onChange: (change: Change) => void): MoreMenuItem[] {
  const clear = { label: actions.useDefault, icon: IconHome, onClick: () => onChange('clear') };
  const follow = { label: actions.followLast, icon: IconHistory, onClick: () => onChange('last-selected') };
  return [...(override ? [clear] : []), ...(override?.type === 'LAST_SELECTED' ? [] : [follow])];
}
