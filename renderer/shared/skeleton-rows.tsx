import { Skeleton } from '@mantine/core';
import layout from './layout.module.css';

/** Placeholders for a list of rows of two lines that is still loading. */
export function SkeletonRows({ count }: { count: number }) {
  return (
    <div className={layout.list}>
      <SkeletonLines count={count} />
    </div>
  );
}

/** The same for rows in a card. */
export function SkeletonLines({ count }: { count: number }) {
  return Array.from({ length: count }, (_, row) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: all are alike
    <div key={row} className={layout.row}>
      <Skeleton width="30%" height={14} my={4} />
      <Skeleton width="55%" height={12} my={4} />
    </div>
  ));
}
