import { type RefObject, useEffect, useRef } from 'react';

/**
 * Lets the focus follow what the person looks at: to the heading when another screen comes. Not at first: the window opens
 * with nothing focused.
 */
export function useFocusOnChange(page: RefObject<HTMLElement | null>, place: string): void {
  const before = useRef(place);
  useEffect(() => {
    if (before.current === place) return;
    before.current = place;
    page.current?.scrollTo({ top: 0 });
    page.current?.querySelector('h1')?.focus();
  }, [page, place]);
}

/** A dialog that closes gives the focus back to what had it before within this time, in milliseconds. */
const DIALOG_CLOSED_MS = 50;

/**
 * Keeps the focus when what has it goes away, or cannot be pressed for a while: it goes back to that as soon as it can,
 * else to the dialog or the heading that is there instead. A browser would leave it nowhere.
 */
export function useFocusKept(page: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    let last: HTMLElement | null = null;
    let wasDisabled = false;
    let restoreTimer: ReturnType<typeof setTimeout> | undefined;
    const remember = ({ target }: FocusEvent) => {
      last = target instanceof HTMLElement ? target : null;
      wasDisabled = false;
    };
    const restoreFocus = () => {
      restoreTimer = undefined;
      if (last === null || document.activeElement !== document.body) return;
      if (!last.isConnected) instead(page.current)?.focus({ preventScroll: true });
      else if (wasDisabled && !last.matches(':disabled')) last.focus({ preventScroll: true });
    };
    const watching = new MutationObserver(() => {
      if (last?.matches(':disabled')) wasDisabled = true;
      restoreTimer ??= setTimeout(restoreFocus, DIALOG_CLOSED_MS);
    });
    watching.observe(document.body, { childList: true, subtree: true, attributeFilter: ['disabled'] });
    document.addEventListener('focusin', remember);
    return () => {
      clearTimeout(restoreTimer);
      watching.disconnect();
      document.removeEventListener('focusin', remember);
    };
  }, [page]);
}

function instead(page: HTMLElement | null): HTMLElement | null | undefined {
  const dialog = document.querySelector<HTMLElement>('[role=dialog]');
  return dialog ? (dialog.querySelector<HTMLElement>('[data-autofocus]') ?? dialog) : page?.querySelector('h1');
}
