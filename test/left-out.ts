import { findElectron, NO_ELECTRON } from '../main/desktop/electron-binary.ts';

/** One line on what a run leaves out for lack of Electron's binary, and how to include it; undefined if it is here. */
export function leftOut(what: string): string | undefined {
  return findElectron(process.env) === undefined ? `${what} left out. ${NO_ELECTRON}` : undefined;
}

/** Before `npm test`: what it does not cover. */
export function setup(): void {
  const line = leftOut('The tests of the desktop application (npm run test:desktop) are');
  if (line !== undefined) console.log(line);
}
