import { Button, Checkbox, Modal, Skeleton, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useRef, useState } from 'react';
import type { AiClient, ClientsReport, OAuthApplicationState } from '../../preload/contract.ts';
import { portIn } from '../accounts/words.ts';
import { answered } from '../shared/answered.ts';
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
  // The words stay while the dialog fades out.
  const last = useRef(client);
  if (client) last.current = client;
  const profile = servers[0]?.profile ?? '';
  const application = useQuery({
    queryKey: ['oauth-application', profile],
    queryFn: () => answered(window.causeway.request.getOAuthApplication({ profile })),
    enabled: client !== null && profile !== '',
    gcTime: 0,
    staleTime: 0,
  });
  const shown = client ?? last.current;
  return (
    <Modal opened={client !== null} onClose={onClose} title={shown ? `Let ${shown.name} connect by itself` : ''}>
      {application.isPending && <Skeleton height={240} />}
      {shown && !application.isPending && (
        <Form
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

interface FormProps extends Pick<ConnectItselfProps, 'onClose' | 'onReview'> {
  client: AiClient;
  servers: string[];
  present: OAuthApplicationState;
}

function Form({ client: { id, name, inTheWay }, servers, present, onClose, onReview }: FormProps) {
  const [chosen, setChosen] = useState(servers.slice(0, 1));
  const [clientId, setClientId] = useState(present?.clientId ?? '');
  const [port, setPort] = useState(present?.callbackPort?.toString() ?? '');
  const callbackPort = portIn(port);
  const goOn = (event: FormEvent) => {
    event.preventDefault();
    if (callbackPort === undefined) return;
    onReview({
      title: `Let ${name} connect by itself`,
      change: {
        action: 'add',
        clients: [id],
        servers: chosen,
        replace: false,
        whileRunning: false,
        itself: { clientId: clientId.trim(), callbackPort },
      },
      running: inTheWay ? [name] : [],
    });
  };
  return (
    <form onSubmit={goOn} className={styles.dialog}>
      <p>{name} then goes straight to the workspace, without Causeway in between. That has its price:</p>
      <ul className={styles.price}>
        <li>
          It does not share your sign-in: it opens a page in your browser by itself, and again when that has ended.
        </li>
        <li>Nothing is put right on the way: when a session ends or the network changes, {name} has to cope alone.</li>
        <li>Activity does not show what it does.</li>
        <li>It needs an OAuth application that an administrator of your account has registered.</li>
      </ul>
      <Checkbox.Group label="Servers" value={chosen} onChange={setChosen}>
        {servers.map((server) => (
          <Checkbox key={server} value={server} label={server} mt={4} />
        ))}
      </Checkbox.Group>
      <TextInput
        label="Client id"
        description="Of the OAuth application. It is no secret."
        value={clientId}
        onChange={({ currentTarget }) => setClientId(currentTarget.value)}
        autoComplete="off"
        data-autofocus
      />
      <TextInput
        label="Port of its redirect address"
        description={`Empty to let ${name} choose. Not every client can be told.`}
        value={port}
        error={callbackPort === undefined ? 'A port is a number from 1 to 65535.' : null}
        onChange={({ currentTarget }) => setPort(currentTarget.value)}
        autoComplete="off"
        inputMode="numeric"
      />
      <div className={styles.actions}>
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" disabled={clientId.trim() === '' || chosen.length === 0 || callbackPort === undefined}>
          Show what is written…
        </Button>
      </div>
    </form>
  );
}
