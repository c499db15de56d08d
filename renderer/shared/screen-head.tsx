import type { ReactNode } from 'react';
import layout from './layout.module.css';

/** A screen's name, and what can be done on all of it. */
export function ScreenHead({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className={layout.head}>
      <ScreenTitle>{title}</ScreenTitle>
      {children && <div className={layout.actions}>{children}</div>}
    </div>
  );
}

/** The heading that the focus goes to when its screen comes. */
export function ScreenTitle({ children }: { children: ReactNode }) {
  return (
    <h1 className={layout.title} tabIndex={-1}>
      {children}
    </h1>
  );
}
