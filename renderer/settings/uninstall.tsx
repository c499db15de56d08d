import { Button, Skeleton } from '@mantine/core';
import { IconCircleCheckFilled, IconCircleXFilled, IconTrash } from '@tabler/icons-react';
import { type ReactNode, useId, useState } from 'react';
import type { DesktopState, Removal } from '../../preload/contract.ts';
import { useAction, useAnswer } from '../shared/answered.ts';
import { Card } from '../shared/card.tsx';
import { Dialog } from '../shared/dialog.tsx';
import { Footer } from '../shared/footer.tsx';
import { Icon } from '../shared/icon.tsx';
import layout from '../shared/layout.module.css';
import { isManaged, managedHint } from '../shared/managed.tsx';
import { ActionFailure, FailureNotice, InSight, Notice } from '../shared/notice.tsx';
import { strings as shared } from '../shared/strings.ts';
import styles from './settings.module.css';
import { strings } from './strings.ts';

const texts = strings.uninstall;

/** Removes all that Causeway has left on this computer, after showing what that is. */
export function Uninstall({ managed }: Pick<DesktopState, 'managed'>) {
  const [opened, setOpened] = useState(false);
  const [title, setTitle] = useState<string>(texts.title);
  const open = () => {
    setTitle(texts.title);
    setOpened(true);
  };
  const isFixed = isManaged(managed, 'requiredClients');
  return (
    <Card title={strings.sections.uninstall} isFlush>
      <div className={`${layout.row} ${layout.split} ${styles.row}`}>
        <div>
          <p>{texts.label}</p>
          <p className={layout.quiet}>{managedHint(managed, 'requiredClients') ?? texts.hint}</p>
        </div>
        <Button variant="default" disabled={isFixed} onClick={open}>
          {texts.open}
        </Button>
      </div>
      <Dialog opened={opened} onClose={() => setOpened(false)} title={title} size="lg">
        <Uninstalling onClose={() => setOpened(false)} onTitle={setTitle} />
      </Dialog>
    </Card>
  );
}

/** The plan, then the result of it. The application quits last, and its own files go then. */
function Uninstalling({ onClose, onTitle }: { onClose(): void; onTitle(title: string): void }) {
  const { request } = window.causeway;
  const [removed, setRemoved] = useState<Removal[]>([]);
  const plan = useAnswer(['uninstall-plan'], () => request.getUninstallPlan(), {
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const removing = useAction(
    (evenRunning: boolean) => request.uninstall({ evenRunning }),
    ({ removals }) => {
      setRemoved((before) => [...before, ...removals.filter(isRemoved)]);
      onTitle(removals.every(({ problem }) => problem === null) ? texts.doneTitle : texts.failedTitle);
    },
  );
  const finishing = useAction(() => request.finishUninstall());
  const result = removing.data && resultOf(removing.data.removals);
  return (
    <div className={layout.stack}>
      {plan.isPending && <Skeleton height={240} />}
      <FailureNotice error={plan.error} onRetry={plan.refetch} />
      {plan.data && !result && <Plan {...plan.data} />}
      {plan.data && result && <Result result={result} removed={removed} planned={plan.data.removals} />}
      <ActionFailure error={removing.error ?? finishing.error} />
      <Footer>
        <Button variant="default" data-autofocus onClick={onClose}>
          {result ? shared.close : shared.cancel}
        </Button>
        {result ? (
          <NextSteps result={result} removing={removing} finishing={finishing} />
        ) : (
          <Button
            color="danger"
            leftSection={<Icon of={IconTrash} />}
            disabled={!plan.data}
            loading={removing.isPending}
            onClick={() => removing.mutate(false)}
          >
            {texts.verb}
          </Button>
        )}
      </Footer>
    </div>
  );
}

function resultOf(removals: readonly Removal[]) {
  const failures = removals.filter(({ problem }) => problem !== null);
  return {
    failures,
    isClientRunning: failures.some(({ problem }) => problem?.code === 'client_running'),
    isEntryLeft: failures.some(({ kind }) => kind === 'entries'),
  };
}

interface NextStepsProps {
  result: ReturnType<typeof resultOf>;
  removing: { isPending: boolean; mutate(evenRunning: boolean): void };
  finishing: { isPending: boolean; mutate(): void };
}

function NextSteps({ result: { failures, isClientRunning, isEntryLeft }, removing, finishing }: NextStepsProps) {
  return (
    <>
      {isClientRunning && (
        <Button variant="default" loading={removing.isPending} onClick={() => removing.mutate(true)}>
          {texts.anyway}
        </Button>
      )}
      {failures.length > 0 && (
        <Button variant="default" loading={removing.isPending} onClick={() => removing.mutate(false)}>
          {shared.tryAgain}
        </Button>
      )}
      {!isEntryLeft && (
        <Button color="danger" loading={finishing.isPending} onClick={() => finishing.mutate()}>
          {texts.finish}
        </Button>
      )}
    </>
  );
}

function Plan({ kept, removals }: { kept: string; removals: readonly Removal[] }) {
  return (
    <>
      <p>{texts.intro}</p>
      <p>{texts.kept(kept)}</p>
      {removals.some(({ isRunning }) => isRunning) && (
        <Notice tone="note" message={texts.running} remedy={texts.runningHelp} />
      )}
      <Removals title={texts.plan} removals={removals} />
    </>
  );
}

interface ResultProps {
  result: ReturnType<typeof resultOf>;
  removed: readonly Removal[];
  planned: readonly Removal[];
}

function Result({ result: { failures, isEntryLeft }, removed, planned }: ResultProps) {
  return (
    <InSight>
      <div className={layout.stack}>
        {failures.length > 0 && <Notice message={texts.failed(failures.length)} remedy={texts.failedHelp} />}
        <Removals title={texts.removed} removals={removed} />
        <Removals title={texts.left} removals={failures} />
        {!isEntryLeft && <Removals title={texts.later} removals={planned.filter(({ kind }) => kind === 'files')} />}
      </div>
    </InSight>
  );
}

/** What was found, or the result of it, by kind; nothing for none. */
function Removals({ title, removals }: { title: string; removals: readonly Removal[] }) {
  const id = useId();
  const kinds = [...new Set(removals.map(({ kind }) => kind))];
  if (kinds.length === 0) return null;
  return (
    <section aria-labelledby={id} className={styles.removals}>
      <h3 id={id} className={layout.name}>
        {title}
      </h3>
      {kinds.map((kind) => (
        <div key={kind}>
          <h4 className={styles.kind}>{texts.kinds[kind]}</h4>
          <ul className={layout.list}>
            {removals
              .filter((removal) => removal.kind === kind)
              .map((removal) => (
                <RemovalRow key={removal.what} removal={removal} />
              ))}
          </ul>
        </div>
      ))}
    </section>
  );
}

const MARKS: Record<Removal['result'], ReactNode> = {
  'would-remove': null,
  removed: <Icon of={IconCircleCheckFilled} />,
  failed: <Icon of={IconCircleXFilled} />,
};

function RemovalRow({ removal: { what, note, problem, result } }: { removal: Removal }) {
  return (
    <li className={`${layout.row} ${styles.removal}`} data-result={result}>
      {MARKS[result]}
      <div>
        <p>{what}</p>
        {note !== null && <p className={layout.quiet}>{note}</p>}
        {problem && (
          <p className={layout.quiet}>
            {problem.message} {problem.remedy}
          </p>
        )}
      </div>
    </li>
  );
}

function isRemoved({ result }: Removal): boolean {
  return result === 'removed';
}
