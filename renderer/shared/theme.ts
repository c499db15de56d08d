import { Button, createTheme, Modal, NativeSelect, Skeleton, TextInput } from '@mantine/core';

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

export const theme = createTheme({
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Cantarell, "Noto Sans", sans-serif',
  primaryColor: 'accent',
  primaryShade: 6,
  colors: { accent: ACCENT, dark: DARK },
  defaultRadius: 'md',
  respectReducedMotion: true,
  // Three sizes of text, here and in tokens.css.
  fontSizes: { xs: '0.8125rem', sm: '0.875rem', md: '0.875rem', lg: '0.875rem', xl: '1.5rem' },
  components: {
    Button: Button.extend({ defaultProps: { size: 'sm' } }),
    TextInput: TextInput.extend({ defaultProps: { size: 'sm' } }),
    NativeSelect: NativeSelect.extend({ defaultProps: { size: 'sm' } }),
    Skeleton: Skeleton.extend({ defaultProps: { animate: false } }),
    // The page itself never scrolls, so there is nothing to lock.
    Modal: Modal.extend({
      defaultProps: {
        lockScroll: false,
        transitionProps: { duration: 120 },
        centered: true,
        closeButtonProps: { 'aria-label': 'Close' },
      },
      styles: { title: { fontWeight: 600 } },
    }),
  },
});

/** The nonce of this load, for the one style element that the component library adds (Content-Security-Policy). */
export function styleNonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';
}
