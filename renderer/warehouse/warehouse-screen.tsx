import type { DesktopState } from '../../preload/contract.ts';
import { FailureScreen } from './failure.tsx';
import { KnownWarehouse } from './known-warehouse.tsx';
import { Loading } from './loading.tsx';
import { SigningIn } from './signing-in.tsx';
import { Unconfigured } from './unconfigured.tsx';

/** The screen that the window opens on: which warehouse this person's queries run on, why, and how to change it. */
export function WarehouseScreen({ state }: { state: DesktopState }) {
  const { warehouse, servers, profiles } = state;
  const isFirstRun = servers.length === 0;
  switch (warehouse.status) {
    case 'loading':
      return <Loading isFirstRun={isFirstRun && profiles.length > 0} />;
    case 'signing-in':
      return <SigningIn step={warehouse.step} address={warehouse.address} isFirstRun={isFirstRun} />;
    case 'unconfigured':
      return <Unconfigured />;
    case 'failed':
      return <FailureScreen failure={warehouse.failure} state={state} />;
    case 'known':
      return <KnownWarehouse known={warehouse} verification={state.verification} isFirstRun={isFirstRun} />;
  }
}
