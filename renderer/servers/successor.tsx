import { Button } from '@mantine/core';
import { IconArrowRight } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ConfiguredServer } from '../../preload/contract.ts';
import { strings as clientStrings } from '../clients/strings.ts';
import { unwrap } from '../shared/answered.ts';
import { Icon } from '../shared/icon.tsx';
import { ActionFailure, Notice } from '../shared/notice.tsx';
import { toast } from '../shared/toast.tsx';
import { strings } from './strings.ts';

const texts = strings.page;

/** That another server has replaced this one, and the move to it. */
export function Successor({ server: { name }, successor }: { server: ConfiguredServer; successor: string }) {
  const queries = useQueryClient();
  const moving = useMutation({
    mutationFn: () => unwrap(window.causeway.request.moveServer({ name })),
    onSuccess: ({ failed }) => {
      void queries.invalidateQueries({ queryKey: ['clients'] });
      if (failed.length === 0) toast(texts.movedTo(successor), 'clients');
    },
  });
  const failed = moving.data?.failed ?? [];
  return (
    <>
      <Notice tone="note" message={texts.moved(successor)} remedy={texts.moveText}>
        <Button
          variant="default"
          leftSection={<Icon of={IconArrowRight} />}
          loading={moving.isPending}
          onClick={() => moving.mutate()}
        >
          {texts.move}
        </Button>
      </Notice>
      <ActionFailure error={moving.error} />
      {failed.length > 0 && (
        <Notice
          message={texts.notMoved}
          remedy={failed.map(({ client, problem }) => clientStrings.failed(client, problem)).join(' ')}
        />
      )}
    </>
  );
}
