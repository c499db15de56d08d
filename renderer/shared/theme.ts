import { Button, createTheme, Menu, Modal, NativeSelect, Popover, Skeleton, TextInput, Tooltip } from '@mantine/core';
import { Notifications } from '@mantine/notifications';

/** One accent, used for the one primary action of a screen and for what decides. */
const ACCENT = [
  '#e8f5f8',
  '#d3e9ef',
  '#a8d2de',
  '#79b9cb',
  '#52a4ba',
  '#3a96af',
  '#12748a',
  '#0f6678',
  '#0b5564',
  '#07414d',
] as const;

/** The greys of the dark scheme, from text to the deepest shade, a little cooler than the library's own. */
const DARK = [
  '#dfe3e6',
  '#b4bbc2',
  '#98a1aa',
  '#646d76',
  '#3a4147',
  '#2e3439',
  '#262b2f',
  '#1c1f23',
  '#16181b',
  '#101214',
] as const;

/** For what cannot be undone. */
const DANGER = [
  '#fdeeed',
  '#f9dbd9',
  '#f1b5b1',
  '#e98c86',
  '#e26a62',
  '#d64a42',
  '#c5322d',
  '#a92a26',
  '#8c221f',
  '#6f1a18',
] as const;

/** How long a transition takes, in milliseconds. */
const MOTION_MS = 120;

export const theme = createTheme({
  fontFamily: '"Inter Variable", system-ui, -apple-system, "Segoe UI", Cantarell, "Noto Sans", sans-serif',
  primaryColor: 'accent',
  primaryShade: 6,
  colors: { accent: ACCENT, danger: DANGER, dark: DARK },
  defaultRadius: 'md',
  respectReducedMotion: true,
  // 12, 14, 16 and 24 px, as in tokens.css.
  fontSizes: { xs: '0.75rem', sm: '0.875rem', md: '0.875rem', lg: '1rem', xl: '1.5rem' },
  components: {
    Button: Button.extend({ defaultProps: { size: 'sm' } }),
    TextInput: TextInput.extend({ defaultProps: { size: 'sm' } }),
    NativeSelect: NativeSelect.extend({ defaultProps: { size: 'sm' } }),
    Skeleton: Skeleton.extend({ defaultProps: { animate: false } }),
    // The page itself never scrolls, so there is nothing to lock.
    ModalRoot: Modal.Root.extend({
      defaultProps: { lockScroll: false, transitionProps: { duration: MOTION_MS }, centered: true },
    }),
    Popover: Popover.extend({ defaultProps: { transitionProps: { duration: MOTION_MS }, shadow: 'md' } }),
    Menu: Menu.extend({
      defaultProps: {
        position: 'bottom-end',
        transitionProps: { duration: MOTION_MS },
        shadow: 'md',
        // It is in the landmark of its button, and if it does not scroll with it.
        withinPortal: false,
        floatingStrategy: 'fixed',
        withInitialFocusPlaceholder: false,
      },
    }),
    Tooltip: Tooltip.extend({
      defaultProps: {
        openDelay: 400,
        transitionProps: { duration: MOTION_MS },
        withinPortal: false,
        floatingStrategy: 'fixed',
      },
    }),
    Notifications: Notifications.extend({
      defaultProps: { containerWidth: 360, transitionDuration: MOTION_MS },
    }),
  },
});

/** The nonce of this load, for the one style element that the component library adds (Content-Security-Policy). */
export function styleNonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';
}
