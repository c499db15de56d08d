/** Whether the window opens at start: yes when a person starts Causeway, no when the system does so at login. */
export function opensWindowAtStart(args: readonly string[]): boolean {
  return !args.includes('--hidden');
}
