import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { DesktopState, ScreenName } from '../preload/contract.ts';
import { AccountsScreen } from './accounts/accounts-screen.tsx';
import { ActivityScreen } from './activity/activity-screen.tsx';
import { ApprovalsWindow } from './approvals/approvals-window.tsx';
import { ClientsScreen } from './clients/clients-screen.tsx';
import { DiagnosticsScreen } from './diagnostics/diagnostics-screen.tsx';
import { FirstRun } from './first-run/first-run.tsx';
import { Frame } from './frame/frame.tsx';
import { OverridesScreen } from './overrides/overrides-screen.tsx';
import { ServersScreen } from './servers/servers-screen.tsx';
import { SettingsScreen } from './settings/settings-screen.tsx';
import { useScreen } from './shared/screen.ts';
import { styleNonce, theme } from './shared/theme.ts';
import { useDesktopState } from './shared/use-desktop-state.ts';
import { WarehouseScreen } from './warehouse/warehouse-screen.tsx';

const SCREENS: Record<ScreenName, (props: { state: DesktopState }) => ReactNode> = {
  warehouse: WarehouseScreen,
  servers: ServersScreen,
  clients: ClientsScreen,
  activity: ActivityScreen,
  overrides: OverridesScreen,
  accounts: AccountsScreen,
  settings: SettingsScreen,
  diagnostics: DiagnosticsScreen,
};

const networkMode = 'always';
/**
 * Every query goes to main on this computer: the cache waits for no network, and neither retries nor refetches by itself.
 * Main knows what needs a network, and when to retry.
 */
const queries = new QueryClient({
  defaultOptions: { queries: { networkMode, retry: false, refetchOnWindowFocus: false }, mutations: { networkMode } },
});

/** Whether this is the window with the calls that wait. */
const isForApprovals = new URLSearchParams(location.search).get('view') === 'approvals';

export function App() {
  return (
    <MantineProvider theme={theme} defaultColorScheme="auto" getStyleNonce={styleNonce}>
      <Notifications />
      <QueryClientProvider client={queries}>{isForApprovals ? <ApprovalsWindow /> : <Screens />}</QueryClientProvider>
    </MantineProvider>
  );
}

function Screens() {
  const state = useDesktopState();
  const screen = useScreen();
  const Screen = SCREENS[screen];
  if (state.firstRun !== null) return <FirstRun state={state} firstRun={state.firstRun} />;
  return (
    <Frame state={state} screen={screen}>
      <Screen state={state} />
    </Frame>
  );
}
