import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { answered } from '../shared/answered.ts';
import layout from '../shared/layout.module.css';
import { FailureNotice } from '../shared/notice.tsx';
import { Notices } from './notices.tsx';

/** Which Causeway this is, what it runs on, and under which licenses. */
export function About() {
  const [showsNotices, setShowsNotices] = useState(false);
  const { data, error, refetch } = useQuery({
    queryKey: ['about'],
    queryFn: () => answered(window.causeway.request.getAbout()),
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
