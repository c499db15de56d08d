import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { ConfiguredServer, Verification, WarehouseState } from '../../preload/contract.ts';
import { mattersNow } from '../../preload/format.ts';
import { unwrap } from '../shared/answered.ts';
import layout from '../shared/layout.module.css';
import { Notice } from '../shared/notice.tsx';
import { Answer } from './answer.tsx';
import { ChangeDefault } from './change-default.tsx';
import { type Change, ConfirmChange } from './confirm-change.tsx';
import { History } from './history.tsx';
import { Checked, NextStep, NoServers } from './next-step.tsx';
import { PickWarehouse } from './pick-warehouse.tsx';
import { strings } from './strings.ts';
import { Verify, type Verifying } from './verify.tsx';
import styles from './warehouse.module.css';
import { Why } from './why.tsx';

interface KnownWarehouseProps {
  known: Extract<WarehouseState, { status: 'known' }>;
  verification: Verification | null;
  servers: readonly ConfiguredServer[];
}

/** The whole answer, and the dialogs that change it. */
export function KnownWarehouse({ known, verification, servers }: KnownWarehouseProps) {
  const { effective, lastFailure } = known;
  const { profile } = effective;
  const [picking, setPicking] = useState(false);
  const [changingDefault, setChangingDefault] = useState(false);
  const [change, setChange] = useState<Change | null>(null);
  const verify = useMutation({
    mutationFn: ({ prove = false, mayStop, pin = null }: Verifying) =>
      unwrap(window.causeway.request.verify({ profile, prove, mayStop: mayStop ?? null, pin })),
  });
  return (
    <div className={layout.sections}>
      <Answer
        effective={effective}
        servers={servers}
        isVerifying={verification?.running ?? false}
        onPick={() => setPicking(true)}
        onChange={setChange}
        onVerify={() => verify.mutate({})}
        onChangeDefault={() => setChangingDefault(true)}
      />
      {lastFailure && (
        <Notice message={`${lastFailure.problem.message} ${strings.stale}`} remedy={lastFailure.problem.remedy}>
          <NextStep failure={lastFailure} others={[]} isBesideAnswer />
        </Notice>
      )}
      {effective.problems.map((problem) => (
        <Notice key={problem.code} tone={mattersNow(problem) ? 'warning' : 'note'} {...problem} />
      ))}
      {servers.length === 0 && <NoServers />}
      <Why profile={profile} steps={effective.steps} />
      <div className={layout.columns}>
        <Verify profile={profile} verification={verification} error={verify.error} onVerify={verify.mutate} />
        <History effective={effective} />
      </div>
      <div className={`${layout.quiet} ${styles.footnotes}`}>
        <p>{strings.appliesTo}</p>
        <Checked known={known} />
      </div>
      <PickWarehouse effective={effective} opened={picking} onClose={() => setPicking(false)} />
      <ChangeDefault profile={profile} opened={changingDefault} onClose={() => setChangingDefault(false)} />
      <ConfirmChange effective={effective} change={change} onClose={() => setChange(null)} />
    </div>
  );
}
