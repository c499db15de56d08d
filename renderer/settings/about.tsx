import { Button, Skeleton } from '@mantine/core';
import { useState } from 'react';
import type { LicenseNotice } from '../../preload/contract.ts';
import mark from '../../resources/icon.svg';
import { openShortcuts } from '../frame/shortcuts-dialog.tsx';
import { useAction, useAnswer } from '../shared/answered.ts';
import { Dialog } from '../shared/dialog.tsx';
import { Footer } from '../shared/footer.tsx';
import layout from '../shared/layout.module.css';
import { ActionFailure, FailureNotice } from '../shared/notice.tsx';
import { ScrollBox } from '../shared/scroll-box.tsx';
import { SearchField } from '../shared/search-field.tsx';
import { strings as shared } from '../shared/strings.ts';
import styles from './settings.module.css';
import { strings } from './strings.ts';

const texts = strings.about;

/** Which Causeway this is, what it runs on, and under which licenses. */
export function About() {
  const [showsNotices, setShowsNotices] = useState(false);
  const { data, error, refetch } = useAnswer(['about'], () => window.causeway.request.getAbout());
  return (
    <div className={`${layout.row} ${styles.about}`}>
      <img src={mark} alt="" className={styles.mark} />
      <div className={styles.facts}>
        <p className={layout.name}>{texts.product(data?.version ?? '')}</p>
        <p className={layout.quiet}>{data?.runtimes.map(({ name, version }) => `${name} ${version}`).join(' · ')}</p>
        <p className={layout.quiet}>{texts.license}</p>
        <FailureNotice error={error} onRetry={refetch} />
      </div>
      <div className={layout.actions}>
        <Button variant="default" onClick={openShortcuts}>
          {texts.openShortcuts}
        </Button>
        <Button variant="default" onClick={() => setShowsNotices(true)}>
          {texts.openNotices}
        </Button>
      </div>
      <Notices opened={showsNotices} onClose={() => setShowsNotices(false)} />
    </div>
  );
}

/** The software that Causeway contains, each with its license. */
function Notices({ opened, onClose }: { opened: boolean; onClose(): void }) {
  return (
    <Dialog opened={opened} onClose={onClose} title={texts.notices} size="xl">
      <Content onClose={onClose} />
    </Dialog>
  );
}

function Content({ onClose }: { onClose(): void }) {
  const [text, setText] = useState('');
  const notices = useAnswer(['notices'], () => window.causeway.request.getNotices(), {
    staleTime: Number.POSITIVE_INFINITY,
  });
  const folder = useAction(() => window.causeway.request.showNoticesFolder());
  const wanted = text.trim().toLowerCase();
  const found = notices.data?.filter(({ name, license }) => `${name} ${license}`.toLowerCase().includes(wanted));
  return (
    <div className={layout.stack}>
      <p>{texts.intro}</p>
      <SearchField
        type="search"
        aria-label={texts.find}
        placeholder={texts.placeholder}
        value={text}
        onChange={setText}
        data-autofocus
      />
      {notices.isPending && <Skeleton height={320} />}
      <FailureNotice error={notices.error} onRetry={notices.refetch} />
      {found?.length === 0 && <p>{texts.nothing(text.trim())}</p>}
      {found && found.length > 0 && (
        <ul className={layout.list} aria-label={texts.list}>
          {found.map((notice) => (
            <NoticeRow key={`${notice.name} ${notice.version}`} notice={notice} />
          ))}
        </ul>
      )}
      <ActionFailure error={folder.error} />
      <Footer>
        <Button variant="default" onClick={() => folder.mutate()}>
          {texts.showFiles}
        </Button>
        <Button variant="default" onClick={onClose}>
          {shared.close}
        </Button>
      </Footer>
    </div>
  );
}

/** The text is put into the page once it is asked for: together they are long. */
function NoticeRow({ notice: { name, version, license, text } }: { notice: LicenseNotice }) {
  const [open, setOpen] = useState(false);
  return (
    <li className={layout.row}>
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary className={styles.software}>
          {name} {version} <span className={layout.quiet}>{license}</span>
        </summary>
        {open && (
          <ScrollBox label={texts.licenseOf(name)} className={styles.license}>
            <pre>{text}</pre>
          </ScrollBox>
        )}
      </details>
    </li>
  );
}
