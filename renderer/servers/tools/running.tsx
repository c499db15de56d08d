import { useEffect, useState } from 'react';
import type { EventPayloads } from '../../../preload/contract.ts';
import layout from '../../shared/layout.module.css';

/** How far a call is: what the server tells, and for how long it has run. */
export function Running({ job }: { job: string }) {
  const [begun] = useState(Date.now);
  const [now, setNow] = useState(begun);
  const [told, setTold] = useState<EventPayloads['toolProgress'] | null>(null);
  useEffect(() => {
    const ticking = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(ticking);
  }, []);
  useEffect(
    () =>
      window.causeway.on.toolProgress((progress) => {
        if (progress.job === job) setTold(progress);
      }),
    [job],
  );
  const seconds = Math.max(0, Math.floor((now - begun) / 1000));
  return (
    <span className={layout.quiet}>
      <span role="status">{told ? toldInWords(told) : 'Running…'}</span> {seconds > 0 && `${seconds} s`}
    </span>
  );
}

function toldInWords({ progress, total, words }: EventPayloads['toolProgress']): string {
  const share = total !== null && total > 0 ? `${Math.round((100 * progress) / total)} %` : '';
  return [words || 'Running…', share].filter(Boolean).join(' ');
}
