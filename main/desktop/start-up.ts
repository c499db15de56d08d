/**
 * Whether the window opens at start: never when the system starts Causeway at login, and otherwise as the person wants it.
 */
export function opensWindowAtStart(args: readonly string[], wanted: boolean): boolean {
  return wanted && !args.includes('--hidden');
}
