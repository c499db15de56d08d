import { useMemo } from 'react';
import { ScrollBox } from '../shared/scroll-box.tsx';
import styles from './difference.module.css';
import { type DiffLine, diffLines } from './format.ts';

const SIGNS: Record<DiffLine['kind'], string> = { added: '+', removed: '−', kept: ' ', gap: '⋯' };

/** What changes in a file, line by line. */
export function Difference({ file, diff }: { file: string; diff: string }) {
  const lines = useMemo(() => diffLines(diff).map((line, at) => ({ ...line, at })), [diff]);
  return (
    <figure className={styles.difference}>
      <figcaption className={styles.file}>{file}</figcaption>
      <ScrollBox label={`Changes to ${file}`} className={styles.lines}>
        <pre>
          {lines.map(({ kind, text, at }) => (
            <span key={at} className={styles.line} data-kind={kind}>
              <span className={styles.sign}>{SIGNS[kind]}</span>
              {text}
              {'\n'}
            </span>
          ))}
        </pre>
      </ScrollBox>
    </figure>
  );
}
