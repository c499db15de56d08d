import { useQueryClient } from '@tanstack/react-query';
import type { DesktopState } from '../../preload/contract.ts';
import { useAction, useAnswer } from '../shared/answered.ts';
import { Card } from '../shared/card.tsx';
import { isManaged, managedHint } from '../shared/managed.tsx';
import { formatAudit } from './format.ts';
import { ToggleRow } from './setting.tsx';
import { strings } from './strings.ts';

const KEY = ['audit'];

/** Whether it is written down which AI client has called what. */
export function AuditSection({ managed }: Pick<DesktopState, 'managed'>) {
  const { request } = window.causeway;
  const queries = useQueryClient();
  const { data, error } = useAnswer(KEY, () => request.getAudit(), { staleTime: 0 });
  const change = useAction(
    (on: boolean) => request.setAudit({ on }),
    (state) => queries.setQueryData(KEY, state),
  );
  const sentence = [managedHint(managed, 'audit'), data ? formatAudit(data) : strings.audit.hint];
  return (
    <Card title={strings.sections.audit} isFlush>
      <ToggleRow
        label={strings.audit.label}
        sentence={sentence.filter(Boolean).join(' ')}
        error={change.error ?? error}
        isOn={data?.on === true}
        isFixed={!data || isManaged(managed, 'audit')}
        onChange={change.mutate}
      />
    </Card>
  );
}
