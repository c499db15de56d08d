/** The texts of the dialog that exports calls. */
export const strings = {
  exportTitle: 'Export calls',
  exportName: 'calls.csv',
} as const;
