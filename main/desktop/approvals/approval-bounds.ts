/** A place on the screen, in pixels. */
interface Bounds {
  x: number;
  y: number;
  width: number;
  height: number;
}

const SIZE = { width: 520, height: 400 };

/**
 * Where the calls that wait are shown: in the middle, a little above. Systems have their notifications and panels in the corners
 * and at the edges. A small screen is not left.
 */
export function approvalBounds(workArea: Bounds): Bounds {
  const width = Math.min(SIZE.width, workArea.width);
  const height = Math.min(SIZE.height, workArea.height);
  const x = workArea.x + Math.round((workArea.width - width) / 2);
  return { x, y: workArea.y + Math.round((workArea.height - height) / 3), width, height };
}
