import { Button } from '@mantine/core';
import { IconArrowLeft, IconCopy, IconLink, IconPlus, IconRefresh, IconTrash } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { isSqlServer } from '../../preload/contract/server-kinds.ts';
import type { ConfiguredServer } from '../../preload/contract.ts';
import { hasProblem } from '../../preload/format.ts';
import { useClients } from '../clients/use-clients.ts';
import { usePermissions } from '../permissions/use-permissions.ts';
import { unwrap } from '../shared/answered.ts';
import { Icon } from '../shared/icon.tsx';
import layout from '../shared/layout.module.css';
import { isRequired, Managed } from '../shared/managed.tsx';
import { MoreMenu } from '../shared/more-menu.tsx';
import { ActionFailure, Notice } from '../shared/notice.tsx';
import { addressOf } from '../shared/screen.ts';
import { ScreenTitle } from '../shared/screen-head.tsx';
import { toast } from '../shared/toast.tsx';
import { useDesktopState } from '../shared/use-desktop-state.ts';
import { WaitingForService } from '../shared/waiting-for-browser.tsx';
import { AddToClients } from './add-to-clients.tsx';
import { formatServer } from './format.ts';
import { ServerClients, ServerDetails } from './server-facts.tsx';
import { ServerIcon } from './server-icon.tsx';
import { ServerPin } from './server-pin.tsx';
import { ServerRemedy } from './server-remedy.tsx';
import { RetryTime, ServerState } from './server-state.tsx';
import styles from './servers.module.css';
import { ServiceAccount } from './service-account.tsx';
import { strings } from './strings.ts';
import { Successor } from './successor.tsx';
import { ToolList } from './tools/tool-list.tsx';
import { useUsage } from './use-usage.ts';

interface ServerPageProps {
  server: ConfiguredServer;
  /** All of the list. */
  servers: readonly ConfiguredServer[];
  onRemove(): void;
}

const texts = strings.page;

/** One server: how it is, who uses it and how, what AI clients may do with it, and what its tools do. */
export function ServerPage({ server, servers, onRemove }: ServerPageProps) {
  const { name, title, type, profile, path, state } = server;
  const { request } = window.causeway;
  const permissions = usePermissions(name, `${state.status} ${state.tools}`);
  const { managed } = useDesktopState();
  const hasToStay = isRequired(managed, 'requiredServers', name);
  const usage = useUsage().get(name);
  const report = useClients(servers);
  const [isAdding, setAdding] = useState(false);
  const checking = useMutation({
    mutationFn: () => unwrap(request.checkServer({ name })),
    onSuccess: () => toast(texts.checked(title)),
  });
  const copy = (what: 'path' | 'url') =>
    void request.copyServer({ name, what }).then(({ ok }) => ok && toast(texts.copied, 'clipboard'));
  return (
    <div className={layout.screen}>
      <p>
        <a className={styles.back} href={addressOf('servers')}>
          <Icon of={IconArrowLeft} />
          {texts.back}
        </a>
      </p>
      <div className={layout.head}>
        <div className={styles.identity}>
          <ServerIcon type={type} />
          <div>
            <ScreenTitle>{title}</ScreenTitle>
            <p className={layout.quiet}>{formatServer(server, true)}</p>
          </div>
        </div>
        <div className={layout.actions}>
          <Button leftSection={<Icon of={IconPlus} />} onClick={() => setAdding(true)}>
            {texts.addToClients}
          </Button>
          <Button
            variant="default"
            leftSection={<Icon of={IconRefresh} />}
            loading={checking.isPending}
            onClick={() => checking.mutate()}
          >
            {texts.check}
          </Button>
          <MoreMenu
            label={texts.more(title)}
            items={[
              { label: texts.copyPath, icon: IconCopy, onClick: () => copy('path') },
              { label: texts.copyUrl, icon: IconLink, onClick: () => copy('url') },
              {
                label: texts.remove,
                icon: IconTrash,
                onClick: onRemove,
                isDangerous: true,
                isSeparated: true,
                isDisabled: hasToStay,
              },
            ]}
          />
        </div>
      </div>
      <Managed managed={managed} by={[...(hasToStay ? (['requiredServers'] as const) : []), 'readOnly', 'rules']} />
      <ServerState server={server} usage={usage} />
      <ActionFailure error={checking.error} />
      {hasProblem(state) && (
        <Notice message={state.words} remedy={state.remedy}>
          <ServerRemedy server={server} />
          <RetryTime server={server} />
        </Notice>
      )}
      {state.status === 'waiting-for-browser' && server.service !== undefined && (
        <WaitingForService server={server.name} />
      )}
      {server.successor !== null && !hasToStay && <Successor server={server} successor={server.successor} />}
      {server.service !== undefined && <ServiceAccount name={name} title={server.service} status={state.status} />}
      <ToolList server={server} permissions={permissions} />
      <div className={layout.columns}>
        <ServerClients server={server} clients={report.data?.clients} usage={usage} />
        <ServerDetails server={server} usage={usage} />
        {isSqlServer(path) && <ServerPin name={name} title={title} profile={profile} />}
      </div>
      <AddToClients opened={isAdding} server={server} report={report} onClose={() => setAdding(false)} />
    </div>
  );
}
