/** The texts of the file dialogs for overrides, and where the changes of a plan come from. */
export const strings = {
  users: (count: number) => (count === 1 ? '1 user' : `${count} users`),
  importTitle: 'Import overrides',
  exportTitle: 'Export overrides',
  reportTitle: 'Save report',
  csvOrJson: 'CSV or JSON',
} as const;
