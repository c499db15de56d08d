import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { willSee } from '../../preload/contract/words/client-test.ts';
import type { AiClient } from '../../preload/contract.ts';
import { problemIn, unwrap } from '../shared/answered.ts';
import layout from '../shared/layout.module.css';
import { ActionFailure, InSight, Notice } from '../shared/notice.tsx';
import { useJob } from '../shared/use-job.ts';
import styles from './clients.module.css';
import { strings } from './strings.ts';

const { test: texts } = strings;

/** Starts what a client starts, and says what it will see of each server, or why not. */
export function ClientTest({ client: { id, name } }: { client: AiClient }) {
  const work = useJob();
  const testing = useMutation({
    mutationFn: () => unwrap(window.causeway.request.testClient({ job: work.begin(), client: id })),
  });
  const { data = [], error, isPending } = testing;
  const isCanceled = error !== null && problemIn(error).code === 'cancelled';
  return (
    <section className={styles.test} aria-label={texts.of(name)} aria-busy={isPending}>
      <div className={layout.actions}>
        {/* One button, so that the focus stays. */}
        <Button variant="default" size="compact-sm" onClick={() => (isPending ? work.cancel() : testing.mutate())}>
          {isPending ? strings.cancel : testing.isIdle ? texts.run : texts.again}
        </Button>
        {isPending && <p className={layout.quiet}>{texts.running(name)}</p>}
      </div>
      <div role="status">
        {isCanceled && <p className={layout.quiet}>{texts.canceled}</p>}
        {data.length > 0 && (
          <InSight>
            <ul className={styles.test}>
              {data.map(({ file, server, tools, tookMs, problem }) => (
                <li key={`${file} ${server}`}>
                  {problem ? (
                    <Notice message={problem.message} remedy={problem.remedy} />
                  ) : (
                    willSee({ name, server, tools, tookMs: tookMs ?? 0 })
                  )}
                </li>
              ))}
            </ul>
          </InSight>
        )}
      </div>
      {!isCanceled && <ActionFailure error={error} />}
    </section>
  );
}
