import { IconAlertTriangle, IconCircle, IconCircleDotFilled, IconHelpCircle, IconPinned } from '@tabler/icons-react';
import type { EffectiveStepInfo } from '../../preload/contract.ts';
import { Card } from '../shared/card.tsx';
import { Icon } from '../shared/icon.tsx';
import { formatOutcome, formatTarget, reasonWorthReading, SOURCE_TEXT } from './format.ts';
import { pinnedWarehouses, usePins } from './pick-pin.tsx';
import { strings } from './strings.ts';
import styles from './why.module.css';

const { why } = strings;

const GLYPHS = {
  decides: IconCircleDotFilled,
  'passed-over': IconCircle,
  empty: IconCircle,
  unreadable: IconHelpCircle,
} as const;

/** The chain of reasons: pins of AI clients, override, workspace default, then the workspace's own fallback. */
export function Why({ profile, steps }: { profile: string; steps: EffectiveStepInfo[] }) {
  const { data } = usePins(profile);
  const pinned = pinnedWarehouses(data?.pins ?? []);
  return (
    <Card title={why.title} isFlush>
      <div className={styles.room}>
        <ol className={styles.steps}>
          {pinned.map(({ id, name, whose, problem }, index) => (
            <li key={id} className={styles.step} data-outcome={problem ? 'fails' : 'some-calls'}>
              <Icon of={problem ? IconAlertTriangle : IconPinned} />
              <span className={styles.source}>{why.pinned}</span>
              <span className={styles.warehouse}>{name}</span>
              <span className={styles.outcome}>{problem ? why.callsFail : why.someCalls}</span>
              <p className={styles.reason}>
                {[why.pinnedFor(whose), problem ?? ''].join(' ').trim()}
                {index === pinned.length - 1 && ` ${data?.rank}`}
              </p>
            </li>
          ))}
          {steps.map((step) => (
            <li key={step.source} className={styles.step} data-outcome={step.outcome}>
              <Icon of={GLYPHS[step.outcome]} />
              <span className={styles.source}>{SOURCE_TEXT[step.source]}</span>
              <span className={styles.warehouse}>{formatTarget(step)}</span>
              <span className={styles.outcome}>{formatOutcome(step)}</span>
              {reasonWorthReading(step) && <p className={styles.reason}>{step.reason}</p>}
            </li>
          ))}
        </ol>
      </div>
    </Card>
  );
}
