import type { DesktopState } from './contract.ts';

/** What is shown before anything is known, on both sides. */
export const INITIAL_STATE: DesktopState = {
  profiles: [],
  profile: null,
  warehouse: { status: 'loading' },
  choices: null,
  verification: null,
  servers: [],
  proxies: [],
  recording: { status: 'off' },
  update: { status: 'off' },
  otherSignIns: [],
  failedAction: null,
};
