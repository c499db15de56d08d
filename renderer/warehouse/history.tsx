import { Button } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { EffectiveWarehouseInfo, OverrideChange, OverrideValue } from '../../preload/contract.ts';
import { unwrap } from '../shared/answered.ts';
import { ConfirmDialog } from '../shared/confirm-dialog.tsx';
import layout from '../shared/layout.module.css';
import { RelativeTime } from '../shared/relative-time.tsx';
import { usePrevious } from '../shared/use-last.ts';
import { CHANGED_BY, formatOverride, isSameOverride, onceSetBack } from './format.ts';
import styles from './history.module.css';
import shared from './warehouse.module.css';

/** How many changes are shown before the user asks for more. */
const AT_FIRST = 3;

/** What the override was changed to, by whom, and how to set it back. */
export function History({ effective }: { effective: EffectiveWarehouseInfo }) {
  const { profile, override } = effective;
  const queries = useQueryClient();
  const [isWhole, setWhole] = useState(false);
  const [undoing, setUndoing] = useState<OverrideChange | null>(null);
  const { data = [] } = useQuery({
    queryKey: ['override-history', profile],
    queryFn: () => unwrap(window.causeway.request.overrideHistory({ profile })),
  });
  useEffect(
    () =>
      window.causeway.on.overrideHistoryChanged((changed) => {
        void queries.invalidateQueries({ queryKey: ['override-history', changed.profile] });
      }),
    [queries],
  );
  if (data.length === 0) return null;
  const shown = isWhole ? data : data.slice(0, AT_FIRST);
  return (
    <section aria-labelledby="history">
      <h2 id="history">What changed when</h2>
      <ul className={styles.changes}>
        {shown.map((change) => (
          <li key={change.at} className={styles.change}>
            <p>
              {formatOverride(change.before)} → {formatOverride(change.after)}
            </p>
            {isSameOverride(change.before, override) ? null : (
              <Button
                variant="default"
                size="compact-sm"
                aria-label={`Set back to ${formatOverride(change.before)}…`}
                onClick={() => setUndoing(change)}
              >
                Set back…
              </Button>
            )}
            <p className={`${layout.quiet} ${styles.when}`}>
              {CHANGED_BY[change.by]} <RelativeTime at={change.at} />
            </p>
          </li>
        ))}
      </ul>
      {data.length > AT_FIRST && (
        <Button variant="transparent" size="compact-sm" className={shared.link} onClick={() => setWhole(!isWhole)}>
          {isWhole ? 'Show fewer' : `Show all ${data.length}`}
        </Button>
      )}
      <SetBack effective={effective} change={undoing} onClose={() => setUndoing(null)} />
    </section>
  );
}

interface SetBackProps {
  effective: EffectiveWarehouseInfo;
  change: OverrideChange | null;
  onClose(): void;
}

function SetBack({ effective, change, onClose }: SetBackProps) {
  const value = usePrevious(change)?.before ?? null;
  return (
    <ConfirmDialog
      opened={change !== null}
      title={`Set back to ${formatOverride(value)}?`}
      verb="Set back"
      act={() => unwrap(send(effective.profile, value))}
      onClose={onClose}
    >
      <p>{onceSetBack(value, effective)}</p>
    </ConfirmDialog>
  );
}

function send(profile: string, value: OverrideValue | null) {
  const { request } = window.causeway;
  if (value === null) return request.clearOverride({ profile });
  if (value.type === 'CUSTOM' && value.warehouseId !== null) {
    return request.setOverride({ profile, warehouseId: value.warehouseId });
  }
  return request.setLastSelected({ profile });
}
