import { Switch } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useId } from 'react';
import type { DesktopState } from '../../preload/contract.ts';
import { useAction, useAnswer } from '../shared/answered.ts';
import { Card } from '../shared/card.tsx';
import { isManaged, managedHint } from '../shared/managed.tsx';
import { formatAudit } from './format.ts';
import { Row } from './setting.tsx';
import { strings } from './strings.ts';

const KEY = ['audit'];

/** Whether it is written down which AI client has called what. */
export function AuditSection({ managed }: Pick<DesktopState, 'managed'>) {
  const { request } = window.causeway;
  const queries = useQueryClient();
  const id = useId();
  const { data, error } = useAnswer(KEY, () => request.getAudit(), { staleTime: 0 });
  const change = useAction(
    (on: boolean) => request.setAudit({ on }),
    (state) => queries.setQueryData(KEY, state),
  );
  const sentence = [managedHint(managed, 'audit'), data ? formatAudit(data) : strings.audit.hint];
  return (
    <Card title={strings.sections.audit} isFlush>
      <Row
        label={strings.audit.label}
        sentence={sentence.filter(Boolean).join(' ')}
        id={id}
        error={change.error ?? error}
      >
        <Switch
          id={id}
          aria-describedby={`${id}-sentence`}
          disabled={!data || isManaged(managed, 'audit')}
          checked={data?.on === true}
          onChange={({ currentTarget }) => change.mutate(currentTarget.checked)}
        />
      </Row>
    </Card>
  );
}
