export const SIZES = {
  usual: [1000, 700],
  small: [640, 480],
  narrow: [320, 640],
  wide: [2560, 1440],
  /** The usual window at 200 %. */
  zoomed: [500, 350],
} as const;

/** One way of looking at a page. */
export interface Look {
  called: string;
  size: readonly [width: number, height: number];
  scheme: 'light' | 'dark';
  /** How large letters are. */
  text: '100%' | '200%';
  /** Taken where time is short, too. */
  isBrief: boolean;
}

/** Every size, both schemes, letters twice as large. The usual one is last, so that a test continues in it. */
export const LOOKS: readonly Look[] = [
  { called: 'small-light', size: SIZES.small, scheme: 'light', text: '100%', isBrief: false },
  { called: 'wide-light', size: SIZES.wide, scheme: 'light', text: '100%', isBrief: false },
  { called: 'zoomed-light', size: SIZES.zoomed, scheme: 'light', text: '100%', isBrief: false },
  { called: 'large-text-light', size: SIZES.usual, scheme: 'light', text: '200%', isBrief: false },
  { called: 'narrow-light', size: SIZES.narrow, scheme: 'light', text: '100%', isBrief: true },
  { called: 'usual-light', size: SIZES.usual, scheme: 'light', text: '100%', isBrief: true },
  { called: 'large-text-dark', size: SIZES.usual, scheme: 'dark', text: '200%', isBrief: false },
  { called: 'narrow-dark', size: SIZES.narrow, scheme: 'dark', text: '100%', isBrief: false },
  { called: 'usual-dark', size: SIZES.usual, scheme: 'dark', text: '100%', isBrief: true },
];

/** What the contact sheet shows: the usual window in both schemes, the narrowest that users may make, a wide one, and large text. */
export const SHEET_LOOKS: readonly Look[] = [
  { called: '640', size: SIZES.small, scheme: 'light', text: '100%', isBrief: true },
  { called: '1600', size: [1600, 900], scheme: 'light', text: '100%', isBrief: true },
  { called: 'large-text', size: SIZES.usual, scheme: 'light', text: '200%', isBrief: true },
  { called: 'light', size: SIZES.usual, scheme: 'light', text: '100%', isBrief: true },
  { called: 'dark', size: SIZES.usual, scheme: 'dark', text: '100%', isBrief: true },
];
