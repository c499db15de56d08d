import { Button } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { affectedByDefault } from '../../preload/contract/words/warehouse.ts';
import type { RequestOutputs, WarehouseInfo } from '../../preload/contract.ts';
import { problemIn, unwrap } from '../shared/answered.ts';
import { ConfirmDialog } from '../shared/confirm-dialog.tsx';
import { Dialog } from '../shared/dialog.tsx';
import { Form } from '../shared/form.tsx';
import { FailureNotice } from '../shared/notice.tsx';
import { strings as shared } from '../shared/strings.ts';
import { toast } from '../shared/toast.tsx';
import { usePrevious } from '../shared/use-last.ts';
import { strings } from './strings.ts';
import styles from './warehouse.module.css';
import { useWarehouseChoice, WarehouseChoice } from './warehouse-choice.tsx';

const { workspaceDefault } = strings;

interface ChangeDefaultProps {
  profile: string;
  opened: boolean;
  onClose(): void;
}

type Default = RequestOutputs['workspaceDefault'];

/** The dialog in which an admin sets the workspace default, and the question before it is removed. */
export function ChangeDefault({ opened, onClose, profile }: ChangeDefaultProps) {
  const [clearing, setClearing] = useState<Default | null>(null);
  const cleared = usePrevious(clearing);
  const clear = async (seen: Default['seen']) => {
    await unwrap(window.causeway.request.setWorkspaceDefault({ profile, warehouseId: null, seen }));
    toast(workspaceDefault.hasCleared, 'warehouse');
  };
  return (
    <>
      <Dialog opened={opened} onClose={onClose} title={workspaceDefault.title}>
        <Reading
          profile={profile}
          onClose={onClose}
          onClear={(read) => {
            onClose();
            setClearing(read);
          }}
        />
      </Dialog>
      <ConfirmDialog
        opened={clearing !== null}
        title={workspaceDefault.question}
        verb={workspaceDefault.clear}
        isGrave
        isDangerous
        act={async () => cleared && clear(cleared.seen)}
        onClose={() => setClearing(null)}
      >
        <p>{workspaceDefault.consequence}</p>
        {cleared && <p>{affectedByDefault(cleared.affected)}</p>}
      </ConfirmDialog>
    </>
  );
}

interface ReadingProps extends Omit<ChangeDefaultProps, 'opened'> {
  onClear(read: Default): void;
}

/** Reads the setting, and whom a change concerns, before anything can be chosen. */
function Reading({ profile, onClose, onClear }: ReadingProps) {
  const { data, error, refetch } = useQuery({
    queryKey: ['workspace-default', profile],
    queryFn: () => unwrap(window.causeway.request.workspaceDefault({ profile })),
    gcTime: 0,
  });
  if (error) return <FailureNotice error={error} onRetry={refetch} />;
  if (!data) return <p role="status">{workspaceDefault.loading}</p>;
  return (
    <Changing
      profile={profile}
      {...data}
      onClose={onClose}
      onClear={() => onClear(data)}
      onStale={() => void refetch()}
    />
  );
}

interface ChangingProps extends Omit<ChangeDefaultProps, 'opened'> {
  seen: Default['seen'];
  affected: Default['affected'];
  onClear(): void;
  /** A change was refused, because the setting is not as it was seen. */
  onStale(): void;
}

function Changing({ profile, seen, affected, onClose, onClear, onStale }: ChangingProps) {
  const choice = useWarehouseChoice(profile, seen.warehouseId, true);
  const { chosen, warehouses } = choice;
  const now = warehouses.data?.find(({ id }) => id === seen.warehouseId)?.name ?? seen.warehouseId;
  const changing = useMutation({
    mutationFn: (wanted: WarehouseInfo) =>
      unwrap(window.causeway.request.setWorkspaceDefault({ profile, warehouseId: wanted.id, seen })),
    onSuccess: (_reply, wanted) => {
      toast(workspaceDefault.hasSet(wanted.name), 'warehouse');
      onClose();
    },
    onError: (error) => {
      if (problemIn(error).code === 'conflict') onStale();
    },
  });
  const isSame = chosen?.id === seen.warehouseId;
  return (
    <Form
      onSubmit={() => chosen && !isSame && changing.mutate(chosen)}
      error={changing.error}
      actions={
        <>
          <Button variant="default" onClick={onClose}>
            {shared.cancel}
          </Button>
          {seen.warehouseId !== null && (
            <Button variant="default" disabled={changing.isPending} onClick={onClear}>
              {workspaceDefault.clear}
            </Button>
          )}
          <Button type="submit" disabled={!chosen || isSame} loading={changing.isPending}>
            {workspaceDefault.set}
          </Button>
        </>
      }
    >
      <p>{now === null ? workspaceDefault.none : workspaceDefault.now(now)}</p>
      <WarehouseChoice choice={choice} />
      <p className={styles.consequence}>{affectedByDefault(affected)}</p>
    </Form>
  );
}
