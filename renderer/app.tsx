import { MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { Frame } from './frame/frame.tsx';
import { useDesktopState } from './shared/desktop-state.ts';
import { styleNonce, theme } from './shared/theme.ts';
import { WarehouseScreen } from './warehouse/warehouse-screen.tsx';

/** Everything is local and main decides when to retry: the cache neither retries nor refetches by itself. */
const queries = new QueryClient({ defaultOptions: { queries: { retry: false, refetchOnWindowFocus: false } } });

export function App() {
  return (
    <MantineProvider theme={theme} defaultColorScheme="auto" getStyleNonce={styleNonce}>
      <QueryClientProvider client={queries}>
        <Screens />
      </QueryClientProvider>
    </MantineProvider>
  );
}

function Screens() {
  const state = useDesktopState();
  return (
    <Frame state={state}>
      <WarehouseScreen state={state} />
    </Frame>
  );
}
