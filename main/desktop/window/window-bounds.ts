import { z } from 'zod';

/** A rectangle in device-independent pixels, as Electron gives and takes it. */
export const boundsSchema = z.object({ x: z.int(), y: z.int(), width: z.int().positive(), height: z.int().positive() });
export type Bounds = z.output<typeof boundsSchema>;

export const DEFAULT_SIZE = { width: 880, height: 640 };
export const MINIMUM_SIZE = { width: 320, height: 400 };

/** How much of the window, in each direction, must be visible so that the user can drag it back. */
const MIN_VISIBLE_PX = 64;

/** The saved bounds, unless their screen is gone; then the default size, centered. */
export function placeWindow(
  saved: Bounds | undefined,
  screens: readonly Bounds[],
): Partial<Bounds> & typeof DEFAULT_SIZE {
  if (saved === undefined) return DEFAULT_SIZE;
  const screen = screens.find((candidate) => isReachable(saved, candidate));
  if (screen === undefined) return DEFAULT_SIZE;
  const width = clamp(saved.width, MINIMUM_SIZE.width, screen.width);
  const height = clamp(saved.height, MINIMUM_SIZE.height, screen.height);
  return {
    // What was larger than this screen fills it, or else the buttons of its title bar would be outside.
    x: width < saved.width ? screen.x : saved.x,
    y: height < saved.height ? screen.y : saved.y,
    width,
    height,
  };
}

function isReachable(window: Bounds, screen: Bounds): boolean {
  const across = Math.min(window.x + window.width, screen.x + screen.width) - Math.max(window.x, screen.x);
  const titleBarVisible = window.y >= screen.y && window.y + MIN_VISIBLE_PX <= screen.y + screen.height;
  return across >= MIN_VISIBLE_PX && titleBarVisible;
}

function clamp(value: number, least: number, most: number): number {
  return Math.max(least, Math.min(value, most));
}
