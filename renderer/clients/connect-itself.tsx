import { Button, Checkbox, Modal, Skeleton } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { AiClient, ClientsReport, OAuthApplicationState } from '../../preload/contract.ts';
import { portIn } from '../accounts/format.ts';
import { unwrap } from '../shared/answered.ts';
import { Form, TextField } from '../shared/form.tsx';
import layout from '../shared/layout.module.css';
import { ActionFailure, FailureNotice } from '../shared/notice.tsx';
import { ScrollBox } from '../shared/scroll-box.tsx';
import { usePrevious } from '../shared/use-last.ts';
import styles from './clients.module.css';
import type { Review } from './review-change.tsx';

interface ConnectItselfProps {
  client: AiClient | null;
  servers: ClientsReport['servers'];
  onClose(): void;
  onReview(review: Review): void;
}

/** Says what it costs that a client connects by itself, and asks for what it then needs. */
export function ConnectItself({ client, servers, onClose, onReview }: ConnectItselfProps) {
  const shown = usePrevious(client);
  const profile = servers[0]?.profile ?? '';
  const application = useQuery({
    queryKey: ['oauth-application', profile],
    queryFn: () => unwrap(window.causeway.request.getOAuthApplication({ profile })),
    enabled: client !== null && profile !== '',
    gcTime: 0,
    staleTime: 0,
  });
  return (
    <Modal opened={client !== null} onClose={onClose} title={shown ? `Let ${shown.name} connect by itself` : ''}>
      {application.isPending && <Skeleton height={240} />}
      {shown && !application.isPending && (
        <Connecting
          key={shown.id}
          client={shown}
          servers={servers.map(({ name }) => name)}
          present={application.data ?? null}
          onClose={onClose}
          onReview={onReview}
        />
      )}
    </Modal>
  );
}

interface ConnectingProps extends Pick<ConnectItselfProps, 'onClose' | 'onReview'> {
  client: AiClient;
  servers: string[];
  present: OAuthApplicationState;
}

function Connecting({ client, servers, present, onClose, onReview }: ConnectingProps) {
  const { id, name, isRunning, publishedApplication, takesCallbackPort } = client;
  const [chosen, setChosen] = useState(servers.slice(0, 1));
  const [clientId, setClientId] = useState(present?.clientId ?? '');
  const [port, setPort] = useState((takesCallbackPort && present?.callbackPort?.toString()) || '');
  const callbackPort = portIn(port);
  const isNamed = clientId.trim() !== '' || publishedApplication !== null;
  const goOn = () => {
    if (callbackPort === undefined) return;
    onReview({
      title: `Let ${name} connect by itself`,
      verb: 'Update',
      change: {
        action: 'add',
        clients: [id],
        servers: chosen,
        replace: false,
        whileRunning: false,
        evenShared: false,
        project: null,
        pin: null,
        allInOne: false,
        itself: { clientId: clientId.trim() || null, callbackPort },
      },
      running: isRunning ? [name] : [],
    });
  };
  return (
    <Form
      onSubmit={goOn}
      error={null}
      actions={
        <>
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" disabled={!isNamed || chosen.length === 0 || callbackPort === undefined}>
            Show what is written…
          </Button>
        </>
      }
    >
      <p>{name} then goes straight to the workspace, without Causeway in between. That has its price:</p>
      <ul className={styles.price}>
        <li>
          It does not share your sign-in: it opens a page in your browser by itself, and again when that has ended.
        </li>
        <li>Nothing is put right on the way: when a session ends or the network changes, {name} has to cope alone.</li>
        <li>Activity does not show what it does.</li>
        <li>
          {publishedApplication === null
            ? 'It needs an OAuth application that an administrator of your account has registered.'
            : `It needs an OAuth application: the one that Databricks publishes for ${name}, where your workspace has it, or one that an administrator of your account has registered.`}
        </li>
      </ul>
      <Checkbox.Group label="Servers" value={chosen} onChange={setChosen}>
        {servers.map((server) => (
          <Checkbox key={server} value={server} label={server} mt={4} />
        ))}
      </Checkbox.Group>
      <TextField
        label="Client id"
        description={
          publishedApplication === null
            ? 'Of the OAuth application. It is no secret.'
            : `Of the OAuth application. It is no secret. Empty for the published one, ${publishedApplication}.`
        }
        value={clientId}
        onChange={setClientId}
        data-autofocus
      />
      {takesCallbackPort && (
        <TextField
          label="Port of its redirect address"
          description={`Empty to let ${name} choose.`}
          value={port}
          error={callbackPort === undefined ? 'A port is a number from 1 to 65535.' : null}
          onChange={setPort}
          inputMode="numeric"
        />
      )}
    </Form>
  );
}

/** What to paste into a client that Causeway does not know. */
export function ByHand({ servers, others, open }: { servers: string[]; others: string[]; open: boolean }) {
  const { request } = window.causeway;
  const json = useQuery({
    queryKey: ['client-json', servers],
    queryFn: () => unwrap(request.clientJson({ client: null })),
  });
  const copying = useMutation({ mutationFn: () => unwrap(request.copyClientJson({ client: null })) });
  return (
    <section className={styles.section} aria-labelledby="by-hand">
      <h2 id="by-hand">Any other client</h2>
      <p>Paste this where it keeps its MCP servers. Nearly every client takes it.</p>
      <FailureNotice error={json.error} />
      {json.data && (
        <details open={open}>
          <summary>The JSON</summary>
          <ScrollBox label="JSON for any other client">
            <pre>{json.data.text}</pre>
          </ScrollBox>
        </details>
      )}
      <div className={layout.actions}>
        <Button variant="default" onClick={() => copying.mutate()}>
          Copy
        </Button>
        <span role="status" className={layout.quiet}>
          {copying.isSuccess && 'It is on the clipboard.'}
        </span>
      </div>
      <ActionFailure error={copying.error} />
      {others.length > 0 && (
        <details className={layout.quiet}>
          <summary>Clients that Causeway knows and did not find here</summary>
          <p>{others.join(', ')}</p>
        </details>
      )}
    </section>
  );
}
