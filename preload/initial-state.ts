import type { DesktopState } from './contract.ts';

/** The state before main has read anything, in main and in the window. */
export const INITIAL_STATE: DesktopState = {
  firstRun: null,
  profiles: [],
  profile: null,
  warehouse: { status: 'loading' },
  choices: null,
  verification: null,
  servers: [],
  serversProblem: null,
  proxies: [],
  approvals: [],
  allowances: [],
  recording: { status: 'off' },
  update: { status: 'off' },
  otherSignIns: [],
  managed: null,
  failedAction: null,
};
