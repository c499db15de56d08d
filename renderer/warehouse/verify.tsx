import { Button, NativeSelect, Skeleton } from '@mantine/core';
import {
  type Icon as Glyph,
  IconAlertTriangle,
  IconCircle,
  IconCircleCheckFilled,
  IconCircleDashed,
  IconCircleMinus,
  IconCircleXFilled,
  IconHelpCircle,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Check, Verification } from '../../preload/contract.ts';
import { unwrap } from '../shared/answered.ts';
import { Card } from '../shared/card.tsx';
import { Dialog } from '../shared/dialog.tsx';
import { Footer } from '../shared/footer.tsx';
import { Icon } from '../shared/icon.tsx';
import layout from '../shared/layout.module.css';
import { ActionFailure, FailureNotice } from '../shared/notice.tsx';
import { RelativeTime } from '../shared/relative-time.tsx';
import { ScrollBox } from '../shared/scroll-box.tsx';
import { strings as shared } from '../shared/strings.ts';
import { pinnedWarehouses, usePins } from './pick-pin.tsx';
import { strings } from './strings.ts';
import styles from './verify.module.css';

const texts = strings.verify;

/** Which checks are made besides the first two. */
export interface Verifying {
  /** Whether a query is sent, and looked up where it ran. */
  prove?: boolean;
  /** The warehouses that may be stopped for a query from a cold start. */
  mayStop?: string[];
  /** The warehouse that this query names itself. */
  pin?: string | null;
}

interface VerifyProps {
  profile: string;
  verification: Verification | null;
  error: Error | null;
  onVerify(wanted: Verifying): void;
}

/** The checks of the shown warehouse, with their progress and a button that cancels them. */
export function Verify({ profile, verification, error, onVerify }: VerifyProps) {
  const [asking, setAsking] = useState(false);
  const running = verification?.running ?? false;
  return (
    <Card
      title={texts.title}
      isFlush
      actions={
        running ? (
          <Button variant="default" size="compact-sm" onClick={() => void window.causeway.request.cancelVerify()}>
            {shared.cancel}
          </Button>
        ) : (
          <>
            <Button variant="default" size="compact-sm" onClick={() => onVerify({})}>
              {texts.run}
            </Button>
            <Button variant="default" size="compact-sm" onClick={() => onVerify({ prove: true })}>
              {texts.prove}
            </Button>
            <Button variant="default" size="compact-sm" onClick={() => setAsking(true)}>
              {texts.endToEnd}
            </Button>
          </>
        )
      }
    >
      {error && (
        <div className={styles.failure}>
          <ActionFailure error={error} />
        </div>
      )}
      <ul className={styles.checks} aria-live="polite">
        {checkLines(verification).map(({ name, title, status, words: found }) => (
          <li key={name} className={styles.check} data-status={status}>
            <Icon of={GLYPHS[status]} />
            <span className={styles.title}>{title}</span>
            <span className={styles.status}>{texts.status[status]}</span>
            <p className={styles.words}>{found}</p>
          </li>
        ))}
      </ul>
      {verification?.endedAt != null && (
        <p className={`${layout.quiet} ${styles.ended}`}>
          {texts.verified} <RelativeTime at={verification.endedAt} />
        </p>
      )}
      <AskEndToEnd
        profile={profile}
        opened={asking}
        onClose={() => setAsking(false)}
        onAgree={(mayStop, pin) => onVerify({ mayStop, pin })}
      />
    </Card>
  );
}

interface AskEndToEndProps {
  profile: string;
  opened: boolean;
  onClose(): void;
  /** Called with the ids of the warehouses that were named, and no others, and with the pin that the query is to carry. */
  onAgree(mayStop: string[], pin: string | null): void;
}

/** Names what the check from a cold start would stop, and begins it only after the user agrees. */
function AskEndToEnd({ profile, opened, onClose, onAgree }: AskEndToEndProps) {
  return (
    <Dialog opened={opened} onClose={onClose} title={texts.question}>
      <Asking profile={profile} onClose={onClose} onAgree={onAgree} />
    </Dialog>
  );
}

function Asking({ profile, onClose, onAgree }: Omit<AskEndToEndProps, 'opened'>) {
  const running = useQuery({
    queryKey: ['would-stop', profile],
    queryFn: () => unwrap(window.causeway.request.wouldStop({ profile })),
    gcTime: 0,
  });
  const { data } = running;
  const [pin, setPin] = useState('');
  const pinned = pinnedWarehouses(usePins(profile).data?.pins ?? []);
  const agree = () => {
    onAgree(
      (data ?? []).map(({ id }) => id),
      pin || null,
    );
    onClose();
  };
  return (
    <div className={layout.stack}>
      <p>{texts.about}</p>
      {pinned.length > 0 && (
        <NativeSelect
          label={texts.send}
          value={pin}
          onChange={({ currentTarget }) => setPin(currentTarget.value)}
          data={[
            { value: '', label: texts.withoutPin },
            ...pinned.map(({ id, name }) => ({ value: id, label: texts.pinnedTo(name) })),
          ]}
        />
      )}
      {running.isPending && <Skeleton height={42} />}
      <FailureNotice error={running.error} onRetry={running.refetch} />
      {data && <p>{beforeEndToEnd(data.map(({ name }) => name))}</p>}
      {data && data.length > 0 && (
        <ScrollBox label={texts.stops} className={styles.toStop}>
          <ul>
            {data.map(({ id, name }) => (
              <li key={id}>{name}</li>
            ))}
          </ul>
        </ScrollBox>
      )}
      <Footer>
        <Button variant="default" data-autofocus onClick={onClose}>
          {shared.cancel}
        </Button>
        <Button disabled={!data} onClick={agree}>
          {data && data.length > 0 ? texts.stopAndVerify : texts.run}
        </Button>
      </Footer>
    </div>
  );
}

/** What each check is called, and what it finds out, for as long as it has nothing to say itself. */
const CHECKS: Record<Check['name'], { title: string; text: string }> = {
  record: texts.record,
  resolver: texts.resolver,
  query: texts.query,
  'end-to-end': texts.cold,
};

type Status = Check['status'] | 'not-run';

const GLYPHS: Record<Status, Glyph> = {
  'not-run': IconCircle,
  waiting: IconCircle,
  running: IconCircleDashed,
  pass: IconCircleCheckFilled,
  fail: IconCircleXFilled,
  unknown: IconHelpCircle,
  'not-applicable': IconCircleMinus,
  cancelled: IconAlertTriangle,
};

export interface CheckLine {
  name: Check['name'];
  title: string;
  status: Status;
  words: string;
}

/** All checks in their order, also those that were not asked for. */
export function checkLines(verification: Verification | null): CheckLine[] {
  const names: Check['name'][] = ['record', 'resolver', 'query', 'end-to-end'];
  return names.map((name) => {
    const { title, text } = CHECKS[name];
    const check = verification?.checks.find((each) => each.name === name);
    return { name, title, status: check?.status ?? 'not-run', words: check?.words || text };
  });
}

/** What the check from a cold start does to the warehouses that run, before it is begun. */
export function beforeEndToEnd(names: readonly string[]): string {
  if (names.length === 0) return texts.nothingRuns;
  return names.length === 1 ? texts.stopsOne : texts.stopsSeveral(names.length);
}
