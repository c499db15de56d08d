/** What the window and the tray show of servers, besides their states. */
export const strings = {
  signIn: 'Sign in with your browser.',
  confirmApp: 'Review the address, then confirm it.',
  startApp: 'Start the app. This takes a minute or two.',
  accounts: 'Check its profile on the Accounts screen, or remove this server.',
  starting: 'Causeway is still starting.',
  tryAgain: 'Try again in a moment.',
  movedOn: (app: string) => `The address of ${app} changed while you reviewed it.`,
  movedOnRemedy: 'Review the new address, then confirm it.',
  toolFailed: 'The tool reported an error.',
  lost: 'The connection ended before the response arrived.',
  refused: (code: number) => `The server returned error ${code}.`,
  refusedPlain: 'The server returned an error.',
  ended: (state: string) => `The statement is ${state}. The workspace gave no reason.`,
  cancelled: 'The search was canceled.',
  saveTitle: 'Save results',
} as const;
