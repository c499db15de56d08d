import {
  type Icon as Glyph,
  IconApps,
  IconArrowBackUp,
  IconBuildingBridge,
  IconCloudComputing,
  IconTerminal2,
} from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { formatBytes, formatDuration } from '../../preload/contract/words/figures.ts';
import type { ActivityCall } from '../../preload/contract.ts';
import { Icon } from '../shared/icon.tsx';
import layout from '../shared/layout.module.css';
import styles from './call-page.module.css';
import { attemptResult, type ChainPart, partsOf, totalMs } from './chain.ts';
import { clockTime, formatClient, formatWhat, serverOf } from './format.ts';
import { strings } from './strings.ts';

const texts = strings.call.chain;

/** The path of a call: client, proxy, Causeway, workspace and back, with the time that passed at each. */
export function CallChain({ call }: { call: ActivityCall }) {
  const { pid, startedAt, durationMs, attempts, bytesFromClient, bytesToClient } = call;
  const parts = partsOf(call);
  const first = attempts[0];
  const client = formatClient(call);
  const end = bytesToClient > 0 ? texts.received(formatBytes(bytesToClient), formatDuration(durationMs)) : null;
  return (
    <>
      {first && <Bar parts={parts} />}
      <ol className={styles.chain}>
        <Hop icon={IconApps} title={client} at={clockTime(startedAt)}>
          {texts.client(formatWhat(call), formatBytes(bytesFromClient))}
        </Hop>
        <Hop icon={IconTerminal2} title={texts.proxy}>
          {texts.proxyPassed(pid)}
        </Hop>
        <Hop icon={IconBuildingBridge} title={texts.causeway} at={first && texts.at(formatDuration(first.afterMs))}>
          {first ? texts.sentAfter(formatDuration(first.afterMs)) : texts.notSent}
        </Hop>
        {first && (
          <Hop icon={IconCloudComputing} title={`${texts.workspace} · ${serverOf(call)}`}>
            {attempts.length === 1 ? (
              capitalized(attemptResult(first))
            ) : (
              <>
                {texts.sentTimes(attempts.length)}
                <ol className={styles.attempts}>
                  {attempts.map((attempt, index) => (
                    <li key={attempt.afterMs} data-failed={attempt.failure !== null}>
                      {texts.attempt(index + 1, attemptResult(attempt))}
                      <span className={styles.at}>{texts.at(formatDuration(attempt.afterMs))}</span>
                    </li>
                  ))}
                </ol>
              </>
            )}
          </Hop>
        )}
        <Hop icon={IconArrowBackUp} title={texts.end(client)} at={texts.at(formatDuration(durationMs))}>
          {end ?? texts.receivedNothing}
        </Hop>
      </ol>
    </>
  );
}

interface HopProps {
  icon: Glyph;
  title: string;
  at?: string | undefined;
  children: ReactNode;
}

function Hop({ icon, title, at, children }: HopProps) {
  return (
    <li className={styles.hop}>
      <span className={styles.sign}>
        <Icon of={icon} />
      </span>
      <div>
        <p className={layout.name}>{title}</p>
        <div className={layout.quiet}>{children}</div>
      </div>
      {at !== undefined && <span className={`${layout.quiet} ${styles.at}`}>{at}</span>}
    </li>
  );
}

/** Where the time passed, as a bar; the least part is seen, too. */
function Bar({ parts }: { parts: readonly ChainPart[] }) {
  const causeway = formatDuration(totalMs(parts, 'causeway'));
  const workspace = formatDuration(totalMs(parts, 'workspace'));
  const names = { causeway: texts.inCauseway, workspace: texts.atWorkspace, between: texts.between };
  return (
    <div>
      <div className={styles.bar} role="img" aria-label={texts.bar(causeway, workspace)}>
        {parts.map(({ where, atMs, ms }) => (
          <span
            key={`${where} ${atMs}`}
            data-where={where}
            style={{ flexGrow: ms }}
            title={`${names[where]}: ${formatDuration(ms)}`}
          />
        ))}
      </div>
      <p aria-hidden className={styles.legend}>
        <span data-where="causeway">
          {names.causeway} {causeway}
        </span>
        <span data-where="workspace">
          {names.workspace} {workspace}
        </span>
        {parts.some(({ where }) => where === 'between') && (
          <span data-where="between">
            {names.between} {formatDuration(totalMs(parts, 'between'))}
          </span>
        )}
      </p>
    </div>
  );
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
