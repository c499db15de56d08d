import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { DesktopState } from '../../preload/contract.ts';
import { answered } from '../shared/answered.ts';
import { FirstSteps } from '../shared/first-steps.tsx';
import layout from '../shared/layout.module.css';
import { ActionFailure } from '../shared/notice.tsx';
import { addressOf } from '../shared/screen.ts';

function stepOf({ warehouse }: DesktopState): 'workspace' | 'sign-in' | 'servers' {
  if (warehouse.status === 'unconfigured') return 'workspace';
  return warehouse.status === 'known' ? 'servers' : 'sign-in';
}

/** What servers are, and the shortest way to the first one. */
export function NoServers({ state, onBrowse }: { state: DesktopState; onBrowse(): void }) {
  const { profile } = state;
  const isSignedIn = state.warehouse.status === 'known';
  const adding = useMutation({
    mutationFn: async (name: string) => {
      const proposed = await answered(
        window.causeway.request.proposeServer({ profile: name, kind: 'sql', target: '' }),
      );
      await answered(window.causeway.request.addServer({ profile: name, kind: 'sql', ...proposed }));
    },
  });
  return (
    <>
      <FirstSteps step={stepOf(state)} />
      <p>
        Your workspace has servers that give AI clients tools: to run queries, to ask Genie, to search texts, to call
        functions. Each one that you add here can be used by every AI client on this computer, with your permissions and
        without another sign-in.
      </p>
      {!isSignedIn && (
        <p>
          Sign in first: <a href={addressOf('warehouse')}>go to your workspace</a>.
        </p>
      )}
      <ActionFailure error={adding.error} />
      {isSignedIn && profile !== null && (
        <div className={layout.actions}>
          <Button loading={adding.isPending} onClick={() => adding.mutate(profile)}>
            Add SQL
          </Button>
          <Button variant="default" onClick={onBrowse}>
            Browse the workspace…
          </Button>
        </div>
      )}
    </>
  );
}
