import type { DesktopState } from '../../preload/contract.ts';
import { Failure } from './failure.tsx';
import { KnownWarehouse } from './known-warehouse.tsx';
import { Loading } from './loading.tsx';
import { Unconfigured } from './unconfigured.tsx';

/** The screen that the window opens on: which warehouse this person's queries run on, why, and how to change it. */
export function WarehouseScreen({ state }: { state: DesktopState }) {
  const { warehouse } = state;
  switch (warehouse.status) {
    case 'loading':
      return <Loading />;
    case 'unconfigured':
      return <Unconfigured problem={warehouse.problem} />;
    case 'failed':
      return <Failure problem={warehouse.problem} state={state} />;
    case 'known':
      return <KnownWarehouse known={warehouse} />;
  }
}
