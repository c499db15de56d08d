import { Button } from '@mantine/core';
import { IconHistory } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { overrideTarget } from '../../preload/contract/words/warehouse.ts';
import type { EffectiveWarehouseInfo, OverrideChange, OverrideValue, WantedOverride } from '../../preload/contract.ts';
import { unwrap } from '../shared/answered.ts';
import { Card } from '../shared/card.tsx';
import { ConfirmDialog } from '../shared/confirm-dialog.tsx';
import { Icon } from '../shared/icon.tsx';
import layout from '../shared/layout.module.css';
import { RelativeTime } from '../shared/relative-time.tsx';
import { toast } from '../shared/toast.tsx';
import { useReadAgain } from '../shared/use-desktop-state.ts';
import { usePrevious } from '../shared/use-last.ts';
import { afterRestoring, CHANGED_BY, isSameOverride } from './format.ts';
import styles from './history.module.css';
import { strings } from './strings.ts';
import shared from './warehouse.module.css';

const { history } = strings;

/** How many changes are shown before the user asks for more. */
const AT_FIRST = 3;

const HISTORY = ['override-history'];

/** What the override was changed to, by whom, and how to restore it. */
export function History({ effective }: { effective: EffectiveWarehouseInfo }) {
  const { profile, override } = effective;
  const [isWhole, setWhole] = useState(false);
  const [undoing, setUndoing] = useState<OverrideChange | null>(null);
  const { data = [] } = useQuery({
    queryKey: [...HISTORY, profile],
    queryFn: () => unwrap(window.causeway.request.overrideHistory({ profile })),
  });
  useReadAgain(HISTORY, window.causeway.on.overrideHistoryChanged);
  const shown = isWhole ? data : data.slice(0, AT_FIRST);
  return (
    <Card title={history.title} isFlush>
      {data.length === 0 && (
        <p className={styles.empty}>
          <Icon of={IconHistory} />
          {history.empty}
        </p>
      )}
      {data.length > 0 && (
        <ul className={styles.changes}>
          {shown.map((change) => (
            <li key={change.at} className={styles.change}>
              <p>{history.from(overrideTarget(change.before), overrideTarget(change.after))}</p>
              {isSameOverride(change.before, override) ? null : (
                <Button
                  variant="default"
                  size="compact-sm"
                  aria-label={history.restoreNamed(overrideTarget(change.before))}
                  onClick={() => setUndoing(change)}
                >
                  {history.restore}
                </Button>
              )}
              <p className={`${layout.quiet} ${styles.when}`}>
                {CHANGED_BY[change.by]} · <RelativeTime at={change.at} />
              </p>
            </li>
          ))}
        </ul>
      )}
      {data.length > AT_FIRST && (
        <div className={styles.more}>
          <Button variant="transparent" size="compact-sm" className={shared.link} onClick={() => setWhole(!isWhole)}>
            {isWhole ? history.showFewer : history.showAll(data.length)}
          </Button>
        </div>
      )}
      <Restore effective={effective} change={undoing} onClose={() => setUndoing(null)} />
    </Card>
  );
}

interface RestoreProps {
  effective: EffectiveWarehouseInfo;
  change: OverrideChange | null;
  onClose(): void;
}

function Restore({ effective, change, onClose }: RestoreProps) {
  const value = usePrevious(change)?.before ?? null;
  const restore = async () => {
    await unwrap(window.causeway.request.setOverride({ profile: effective.profile, wanted: wantedFor(value) }));
    toast(strings.done.restored, 'warehouse');
  };
  return (
    <ConfirmDialog
      opened={change !== null}
      title={history.question(overrideTarget(value))}
      verb={history.verb}
      act={restore}
      onClose={onClose}
    >
      <p>{afterRestoring(value, effective)}</p>
    </ConfirmDialog>
  );
}

function wantedFor(value: OverrideValue | null): WantedOverride {
  if (value === null) return { type: 'NONE' };
  const { type, warehouseId } = value;
  return type === 'CUSTOM' && warehouseId !== null ? { type, warehouseId } : { type: 'LAST_SELECTED' };
}
