import { Button, Checkbox, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { AiClient, ClientsReport, OAuthApplicationState } from '../../preload/contract.ts';
import { portIn } from '../accounts/format.ts';
import { unwrap } from '../shared/answered.ts';
import { Dialog } from '../shared/dialog.tsx';
import { Form, TextField } from '../shared/form.tsx';
import { usePrevious } from '../shared/use-last.ts';
import styles from './clients.module.css';
import type { Review } from './review-change.tsx';
import { strings } from './strings.ts';

const { directly: texts } = strings;

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
    <Dialog opened={client !== null} onClose={onClose} title={shown ? texts.title(shown.name) : ''}>
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
    </Dialog>
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
      title: strings.review.directly(name),
      verb: 'Update',
      change: {
        action: 'add',
        clients: [id],
        servers: chosen,
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
            {strings.cancel}
          </Button>
          <Button type="submit" disabled={!isNamed || chosen.length === 0 || callbackPort === undefined}>
            {texts.preview}
          </Button>
        </>
      }
    >
      <p>{texts.lead(name)}</p>
      <ul className={styles.price}>
        <li>{texts.signIn}</li>
        <li>{texts.recovery(name)}</li>
        <li>{texts.activity}</li>
      </ul>
      <p>{publishedApplication === null ? texts.needs : texts.needsPublished(name)}</p>
      <Checkbox.Group label={texts.servers} value={chosen} onChange={setChosen}>
        {servers.map((server) => (
          <Checkbox key={server} value={server} label={server} mt={4} />
        ))}
      </Checkbox.Group>
      <TextField
        label={texts.clientId}
        description={
          publishedApplication === null ? texts.clientIdHelp : texts.clientIdHelpPublished(publishedApplication)
        }
        value={clientId}
        onChange={setClientId}
        data-autofocus
      />
      {takesCallbackPort && (
        <TextField
          label={texts.port}
          description={texts.portHelp(name)}
          value={port}
          error={callbackPort === undefined ? texts.badPort : null}
          onChange={setPort}
          inputMode="numeric"
        />
      )}
    </Form>
  );
}
