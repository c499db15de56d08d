import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import type { DesktopState, SettingsState, UpdateState } from '../../preload/contract.ts';
import { useAnswer } from '../shared/answered.ts';
import { Card } from '../shared/card.tsx';
import layout from '../shared/layout.module.css';
import { isForbidden, Managed } from '../shared/managed.tsx';
import { FailureNotice, Notice } from '../shared/notice.tsx';
import { useSection } from '../shared/screen.ts';
import { ScreenHead } from '../shared/screen-head.tsx';
import { SkeletonLines } from '../shared/skeleton-rows.tsx';
import { About } from './about.tsx';
import { AuditSection } from './audit.tsx';
import { Setting } from './setting.tsx';
import { strings } from './strings.ts';
import { SETTINGS, type SectionName } from './table.ts';
import { Uninstall } from './uninstall.tsx';
import { StartAtLogin, UpdatesSection } from './updates.tsx';
import { SETTINGS_KEY, useSettingsEvents } from './use-change.ts';

/** The sections that fill the window at first. */
const FIRST = ['starting', 'look', 'notifications'] as const;

/** The settings. Each takes effect at once, or shows why it could not be stored. */
export function SettingsScreen({ state: { update, managed } }: { state: DesktopState }) {
  useSettingsEvents();
  const { data, error, refetch } = useAnswer(SETTINGS_KEY, () => window.causeway.request.getSettings());
  return (
    <div className={layout.screen}>
      <ScreenHead title={strings.title} />
      <Managed managed={managed} />
      <FailureNotice error={error} onRetry={refetch} />
      {!data && !error && FIRST.map((name) => <LoadingSection key={name} name={name} />)}
      {data && (
        <>
          {data.problem && <Notice message={data.problem.message} remedy={data.problem.remedy} />}
          <Section name="starting" state={data} before={<StartAtLogin on={data.startAtLogin} />} />
          <Section name="look" state={data} />
          <Section name="notifications" state={data} />
          <Section name="connections" state={data} />
          <Section name="activity" state={data} />
          <Updates state={data} update={update} isForbidden={isForbidden(managed, 'updates')} />
          <Section name="log" state={data} after={<ShowLog />} />
          <AuditSection managed={managed} />
          <AboutSection />
          <Uninstall managed={managed} />
          <p className={layout.quiet}>{strings.file(data.file)}</p>
        </>
      )}
    </div>
  );
}

interface SectionProps {
  name: SectionName;
  state: SettingsState;
  before?: ReactNode;
  after?: ReactNode;
}

/** The settings of the table that belong together, and what else does. */
function Section({ name, state, before, after }: SectionProps) {
  const { title, settings } = SETTINGS[name];
  return (
    <Card title={title} isFlush>
      {before}
      {settings.map((setting) => (
        <Setting key={setting.name} setting={setting} state={state} />
      ))}
      {after}
    </Card>
  );
}

interface UpdatesProps {
  state: SettingsState;
  update: UpdateState;
  isForbidden: boolean;
}

/** The tray and the notification of an update lead here. */
function Updates({ state, update, isForbidden }: UpdatesProps) {
  const place = useSection('updates');
  const section = <UpdatesSection state={update} isForbidden={isForbidden} />;
  return (
    <div ref={place}>
      {update.status === 'not-possible-here' ? (
        <Card title={SETTINGS.updates.title} isFlush>
          {section}
        </Card>
      ) : (
        <Section name="updates" state={state} after={section} />
      )}
    </div>
  );
}

/** *About Causeway* in the application menu leads here. */
function AboutSection() {
  const place = useSection('about');
  return (
    <div ref={place}>
      <Card title={strings.sections.about} isFlush>
        <About />
      </Card>
    </div>
  );
}

/** Placeholders in the shape of a section. */
function LoadingSection({ name }: { name: SectionName }) {
  const { title, settings } = SETTINGS[name];
  return (
    <Card title={title} isFlush>
      {/* Starting at login is not one of the settings in the file. */}
      <SkeletonLines count={settings.length + (name === 'starting' ? 1 : 0)} />
    </Card>
  );
}

function ShowLog() {
  return (
    <div className={layout.row}>
      <Button variant="default" onClick={() => void window.causeway.request.showLogFolder()}>
        {strings.showLog}
      </Button>
    </div>
  );
}
