import { IconCheck } from '@tabler/icons-react';
import type { FirstRunState } from '../../preload/contract.ts';
import { Icon } from '../shared/icon.tsx';
import layout from '../shared/layout.module.css';
import styles from './first-run.module.css';
import { strings } from './strings.ts';

type Step = FirstRunState['step'];

const ORDER: readonly Step[] = ['workspace', 'sign-in', 'servers', 'clients', 'done'];

/** All steps with the present one, in every state of it. A step that is done can be gone back to. */
export function StepIndicator({ step: current, onGo }: { step: Step; onGo(step: Step): void }) {
  const reached = ORDER.indexOf(current);
  return (
    <ol className={styles.steps} aria-label={strings.indicator}>
      {ORDER.map((step, place) => {
        const isDone = place < reached;
        const content = (
          <>
            <span aria-hidden className={styles.number}>
              {isDone ? <Icon of={IconCheck} /> : place + 1}
            </span>
            <span className={styles.label}>{strings.steps[step]}</span>
            {isDone && <span className={layout.unseen}>{strings.stepDone}</span>}
          </>
        );
        return (
          <li key={step} data-done={isDone} aria-current={place === reached ? 'step' : undefined}>
            {/* Who is signed in already would be led on from there at once. */}
            {isDone && step !== 'sign-in' ? (
              <button type="button" className={styles.step} onClick={() => onGo(step)}>
                {content}
              </button>
            ) : (
              <span className={styles.step}>{content}</span>
            )}
          </li>
        );
      })}
    </ol>
  );
}
