import { Button, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { DesktopState } from '../../preload/contract.ts';
import { answered, problemIn } from '../shared/answered.ts';
import { Notice } from '../shared/notice.tsx';
import { Choice, Toggle } from './setting.tsx';
import styles from './settings.module.css';
import { StartAtLogin } from './start-at-login.tsx';
import { Updates } from './updates.tsx';
import { SETTINGS_KEY, useSettingsEvents } from './use-change.ts';
import { tokenStoreInWords } from './words.ts';

/** What the person can choose. Each choice takes effect at once and says so where it cannot. */
export function SettingsScreen({ state }: { state: DesktopState }) {
  const { request } = window.causeway;
  useSettingsEvents();
  const { data, error, refetch } = useQuery({
    queryKey: SETTINGS_KEY,
    queryFn: () => answered(request.getSettings()),
  });
  return (
    <div className={styles.screen}>
      <h1 className={styles.title}>Settings</h1>
      {error && (
        <Notice {...problemIn(error)}>
          <Button variant="default" onClick={() => void refetch()}>
            Try again
          </Button>
        </Notice>
      )}
      {!data && !error && <Skeleton height={320} />}
      {data && (
        <>
          {data.trouble && <Notice message={data.trouble.message} remedy={data.trouble.remedy} />}
          <Section title="Starting">
            <StartAtLogin on={data.startAtLogin} />
            <Toggle
              name="openWindow"
              label="Open the window at start"
              sentence="Otherwise Causeway starts in the tray, and the window opens from there."
              settings={data.settings}
            />
          </Section>
          <Section title="What you see">
            <Choice
              name="appearance"
              label="Appearance"
              sentence="Light or dark colours, or whatever your system uses."
              settings={data.settings}
              choices={[
                { value: 'system', label: 'Like the system' },
                { value: 'light', label: 'Light' },
                { value: 'dark', label: 'Dark' },
              ]}
            />
            <Toggle
              name="notifications"
              label="Notifications"
              sentence="Says when something went wrong or a new version is ready. Otherwise only the window and the tray do."
              settings={data.settings}
            />
          </Section>
          <Section title="Connections">
            <Toggle
              name="keepServersWarm"
              label="Keep servers connected"
              sentence="Asks your servers now and then, so that you see how they are and AI clients start faster."
              settings={data.settings}
            />
            <Choice
              name="tokenStore"
              label="Where sign-ins are kept"
              sentence={tokenStoreInWords(data.tokenStoreOfEnvironment)}
              settings={data.settings}
              disabled={data.tokenStoreOfEnvironment !== null}
              choices={[
                { value: 'keychain', label: 'Keychain of this computer' },
                { value: 'encrypted-file', label: 'Encrypted file' },
              ]}
            />
          </Section>
          <Section title="New versions">
            <Updates state={state.update} settings={data.settings} />
          </Section>
          <Section title="Log">
            <Choice
              name="logLevel"
              label="How much is logged"
              sentence={`For finding faults. Tokens and passwords are never logged. The log is in ${data.logFolder}.`}
              settings={data.settings}
              choices={[
                { value: 'error', label: 'Failures only' },
                { value: 'warn', label: 'Warnings too' },
                { value: 'info', label: 'The usual' },
                { value: 'debug', label: 'Everything' },
              ]}
            />
            <div className={styles.actions}>
              <Button variant="default" onClick={() => void request.showLogFolder()}>
                Show the log’s folder
              </Button>
            </div>
          </Section>
          <p className={styles.footnote}>These settings are in {data.file}.</p>
        </>
      )}
    </div>
  );
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title}>
      <h2 className={styles.heading}>{title}</h2>
      <div className={styles.list}>{children}</div>
    </section>
  );
}
