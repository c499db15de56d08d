import type { DesktopState } from '../../preload/contract.ts';
import { FailureScreen } from './failure.tsx';
import { KnownWarehouse } from './known-warehouse.tsx';
import { Loading } from './loading.tsx';
import { SigningIn } from './signing-in.tsx';
import { Unconfigured } from './unconfigured.tsx';

/** The screen that the window opens on: which warehouse this person's queries run on, why, and how to change it. */
export function WarehouseScreen({ state }: { state: DesktopState }) {
  const { warehouse } = state;
  switch (warehouse.status) {
    case 'loading':
      return <Loading />;
    case 'signing-in':
      return <SigningIn step={warehouse.step} address={warehouse.address} />;
    case 'unconfigured':
      return <Unconfigured />;
    case 'failed':
      return <FailureScreen failure={warehouse.failure} state={state} />;
    case 'known':
      return <KnownWarehouse known={warehouse} verification={state.verification} />;
  }
}
