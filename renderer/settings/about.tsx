import { Button, Modal, Skeleton, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { LicenseNotice } from '../../preload/contract.ts';
import { unwrap } from '../shared/answered.ts';
import layout from '../shared/layout.module.css';
import { ActionFailure, FailureNotice } from '../shared/notice.tsx';
import { ScrollBox } from '../shared/scroll-box.tsx';
import styles from './settings.module.css';

/** Which Causeway this is, what it runs on, and under which licenses. */
export function About() {
  const [showsNotices, setShowsNotices] = useState(false);
  const { data, error, refetch } = useQuery({
    queryKey: ['about'],
    queryFn: () => unwrap(window.causeway.request.getAbout()),
  });
  return (
    <div className={`${layout.row} ${layout.split}`}>
      <div>
        <p className={layout.name}>Causeway {data?.version}</p>
        <p className={layout.quiet}>{data?.runtimes.map(({ name, version }) => `${name} ${version}`).join(' · ')}</p>
        <p className={layout.quiet}>MIT license</p>
        <FailureNotice error={error} onRetry={refetch} />
      </div>
      <Button variant="default" onClick={() => setShowsNotices(true)}>
        Third-party notices…
      </Button>
      <Notices opened={showsNotices} onClose={() => setShowsNotices(false)} />
    </div>
  );
}

/** The software that Causeway contains, each with its license. */
function Notices({ opened, onClose }: { opened: boolean; onClose(): void }) {
  return (
    <Modal opened={opened} onClose={onClose} title="Third-party notices" size="lg">
      <Content onClose={onClose} />
    </Modal>
  );
}

function Content({ onClose }: { onClose(): void }) {
  const [text, setText] = useState('');
  const notices = useQuery({
    queryKey: ['notices'],
    queryFn: () => unwrap(window.causeway.request.getNotices()),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const folder = useMutation({ mutationFn: () => unwrap(window.causeway.request.showNoticesFolder()) });
  const wanted = text.trim().toLowerCase();
  const found = notices.data?.filter(({ name, license }) => `${name} ${license}`.toLowerCase().includes(wanted));
  return (
    <div className={layout.stack}>
      <p>Causeway contains this software. Chromium’s notices are in the file LICENSES.chromium.html.</p>
      <TextInput
        type="search"
        aria-label="Find software"
        placeholder="Name or license"
        value={text}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
        data-autofocus
      />
      {notices.isPending && <Skeleton height={320} />}
      <FailureNotice error={notices.error} onRetry={notices.refetch} />
      {found?.length === 0 && <p>Nothing here has “{text.trim()}” in its name or license.</p>}
      {found && found.length > 0 && (
        <ul className={layout.list} aria-label="Software in Causeway">
          {found.map((notice) => (
            <NoticeRow key={`${notice.name} ${notice.version}`} notice={notice} />
          ))}
        </ul>
      )}
      <ActionFailure error={folder.error} />
      <div className={layout.closing}>
        <Button variant="default" onClick={() => folder.mutate()}>
          Show the files
        </Button>
        <Button variant="default" onClick={onClose}>
          Close
        </Button>
      </div>
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
          <ScrollBox label={`The license of ${name}`} className={styles.license}>
            <pre>{text}</pre>
          </ScrollBox>
        )}
      </details>
    </li>
  );
}
