import { type RefObject, useEffect, useRef } from 'react';

/**
 * Moves the focus to the heading when another screen opens, unless that has put it into a field. Not on the first screen: the
 * window opens with nothing focused.
 */
export function useFocusOnChange(page: RefObject<HTMLElement | null>, place: string): void {
  const before = useRef(place);
  useEffect(() => {
    if (before.current === place) return;
    before.current = place;
    page.current?.scrollTo({ top: 0 });
    if (!page.current?.querySelector('input:focus')) page.current?.querySelector('h1')?.focus();
  }, [page, place]);
}

/** From the loss of the focus: a dialog that closes returns it to the element that had it before within this time. */
const DIALOG_CLOSED_MS = 200;

/**
 * Restores the focus when the focused element is removed or disabled for a while: to the element itself once it is enabled
 * again, or else to the open dialog or the heading. A browser would leave the focus on the body.
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
    const isLost = () =>
      last !== null && document.activeElement === document.body && (!last.isConnected || wasDisabled);
    const restoreFocus = () => {
      restoreTimer = undefined;
      if (last === null || !isLost()) return;
      if (!last.isConnected) instead(page.current)?.focus({ preventScroll: true });
      else if (!last.matches(':disabled')) last.focus({ preventScroll: true });
    };
    const observer = new MutationObserver(() => {
      if (last?.matches(':disabled')) wasDisabled = true;
      if (isLost()) restoreTimer ??= setTimeout(restoreFocus, DIALOG_CLOSED_MS);
    });
    observer.observe(document.body, { childList: true, subtree: true, attributeFilter: ['disabled'] });
    document.addEventListener('focusin', remember);
    return () => {
      clearTimeout(restoreTimer);
      observer.disconnect();
      document.removeEventListener('focusin', remember);
    };
  }, [page]);
}

function instead(page: HTMLElement | null): HTMLElement | null | undefined {
  const dialog = document.querySelector<HTMLElement>('[role=dialog]');
  return dialog ? (dialog.querySelector<HTMLElement>('[data-autofocus]') ?? dialog) : page?.querySelector('h1');
}
