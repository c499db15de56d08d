import { counted } from '../../preload/contract/words/count.ts';

/** The texts of the Diagnostics screen. */
export const strings = {
  title: 'Diagnostics',
  run: 'Run checks',
  runAgain: 'Run again',
  cancel: 'Cancel',
  checks: 'Checks',
  checked: 'Checked',
  status: {
    waiting: 'Not checked',
    running: 'Checking',
    pass: 'OK',
    warning: 'Warning',
    fail: 'Problem',
    unknown: 'Unknown',
    skipped: 'Not applicable',
  },
  progress: (done: number, total: number) => `${done} of ${total} checked`,
  notRun: 'Check this computer, the network and your workspace.',
  problems: (count: number) => counted(count, 'problem'),
  warnings: (count: number) => counted(count, 'warning'),
  unknown: (count: number) => `${count} unknown`,
  ok: (count: number) => `${count} OK`,
  report: {
    title: 'Support report',
    text: 'Versions, checks, states and recent log lines. Tokens, passwords and names are removed.',
    preview: 'Preview',
    copy: 'Copy',
    save: 'Save',
    content: 'Report text',
    copied: 'Report copied',
    saved: (file: string) => `Report saved to ${file}.`,
  },
} as const;
