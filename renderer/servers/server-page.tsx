import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ConfiguredServer } from '../../preload/contract.ts';
import { needsAttention, takesPin } from '../../preload/format.ts';
import { RulesSection } from '../rules/rules-section.tsx';
import { useRules } from '../rules/use-rules.ts';
import { unwrap } from '../shared/answered.ts';
import { ConfirmDialog } from '../shared/confirm-dialog.tsx';
import layout from '../shared/layout.module.css';
import { Notice } from '../shared/notice.tsx';
import { addressOf } from '../shared/screen.ts';
import { ScreenHead } from '../shared/screen-head.tsx';
import { aboutServer, passesByItself } from './format.ts';
import { ServerPin } from './server-pin.tsx';
import { ServerRemedy, ServerState, TriesAgain } from './server-state.tsx';
import styles from './servers.module.css';
import { ToolList } from './tools/tool-list.tsx';

/** One server: how it is, where it is, and what its tools do. */
export function ServerPage({ server, onRemove }: { server: ConfiguredServer; onRemove(): void }) {
  const { name, profile, path, state } = server;
  const rules = useRules(name, `${state.status} ${state.tools}`);
  return (
    <div className={layout.screen}>
      <p>
        <a href={addressOf('servers')}>All servers</a>
      </p>
      <ScreenHead title={name}>
        <Button variant="default" onClick={onRemove}>
          Remove…
        </Button>
      </ScreenHead>
      <div>
        <p className={styles.stateLine}>
          <ServerState server={server} />
        </p>
        <p className={layout.quiet}>
          {aboutServer(server)} · as {profile}
        </p>
      </div>
      {needsAttention(state) && (
        <Notice message={state.words} remedy={state.remedy}>
          <ServerRemedy server={server} />
        </Notice>
      )}
      {state.retryAt !== null && passesByItself(state) && (
        <p className={layout.quiet}>
          <TriesAgain server={server} />
        </p>
      )}
      <div className={layout.actions}>
        <code className={styles.address}>{path}</code>
        <Copy name={name} what="path" label="Copy path" />
        <Copy name={name} what="url" label="Copy address" />
      </div>
      {server.service !== undefined && <ServiceAccount name={name} title={server.service} status={state.status} />}
      {takesPin(path) && <ServerPin name={name} profile={profile} />}
      <RulesSection title="What AI clients may do" editor={rules} />
      <ToolList server={server} rules={rules} />
    </div>
  );
}

/** That the user is signed in to what is behind a service, and the way out. */
function ServiceAccount({ name, title, status }: { name: string; title: string; status: string }) {
  const { request } = window.causeway;
  const signedIn = useQuery({
    // Asked again where the server's state is another one.
    queryKey: ['service', name, status],
    queryFn: () => unwrap(request.isSignedInToService({ name })),
  });
  const [asking, setAsking] = useState(false);
  if (signedIn.data !== true) return null;
  return (
    <div className={layout.actions}>
      <span>You are signed in to {title}.</span>
      <Button size="compact-sm" variant="default" onClick={() => setAsking(true)}>
        Sign out of {title}
      </Button>
      <ConfirmDialog
        opened={asking}
        title={`Sign out of ${title}?`}
        verb="Sign out"
        isGrave
        act={() => unwrap(request.signOutOfService({ name }))}
        onClose={() => setAsking(false)}
      >
        <p>
          No AI client can use {title} through this workspace as you any more, on any computer, until you sign in again.
        </p>
      </ConfirmDialog>
    </div>
  );
}

function Copy({ name, what, label }: { name: string; what: 'path' | 'url'; label: string }) {
  const [copied, setCopied] = useState(false);
  return (
    <Button
      size="compact-sm"
      variant="default"
      onBlur={() => setCopied(false)}
      onClick={() => void window.causeway.request.copyServer({ name, what }).then(({ ok }) => setCopied(ok))}
    >
      <span aria-live="polite">{copied ? 'Copied' : label}</span>
    </Button>
  );
}
