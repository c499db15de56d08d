import { Button } from '@mantine/core';
import { type KeyboardEvent, type PointerEvent, type Ref, useEffect, useRef, useState } from 'react';
import styles from './approvals.module.css';
import { strings } from './strings.ts';

/** How long the button is held, in milliseconds. */
const HOLD_MS = 600;
/** How long a press that was no hold can be confirmed by a second one, in milliseconds. */
const CONFIRM_MS = 5_000;

interface HoldButtonProps {
  label: string;
  disabled: boolean;
  onHeld(): void;
  buttonRef: Ref<HTMLButtonElement>;
}

/**
 * A button for what cannot be undone: it acts once it was held, with the pointer or with Enter or Space. A screen reader cannot
 * hold, and sends a bare click: after that, a second one acts, but not one that follows at once.
 */
export function HoldButton({ label, disabled, onHeld, buttonRef }: HoldButtonProps) {
  const [isHeld, setHeld] = useState(false);
  const [pressedAt, setPressedAt] = useState<number>();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const isOwnPress = useRef(false);

  const release = () => {
    clearTimeout(timer.current);
    setHeld(false);
  };
  const press = () => {
    if (disabled) return;
    isOwnPress.current = true;
    release();
    setHeld(true);
    timer.current = setTimeout(() => {
      release();
      onHeld();
    }, HOLD_MS);
  };
  useEffect(() => () => clearTimeout(timer.current), []);
  useEffect(() => {
    if (pressedAt === undefined) return undefined;
    const forgetting = setTimeout(() => setPressedAt(undefined), CONFIRM_MS);
    return () => clearTimeout(forgetting);
  }, [pressedAt]);

  const clicked = () => {
    // A press of the pointer or of a key has been dealt with, held or not.
    if (isOwnPress.current) {
      isOwnPress.current = false;
      return;
    }
    if (pressedAt === undefined) return setPressedAt(performance.now());
    if (performance.now() - pressedAt < HOLD_MS) return;
    setPressedAt(undefined);
    onHeld();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' && event.key !== ' ') return;
    event.preventDefault();
    if (!event.repeat && !isHeld) press();
  };

  return (
    <Button
      ref={buttonRef}
      className={styles.hold}
      data-held={isHeld}
      disabled={disabled}
      onPointerDown={(event: PointerEvent) => event.button === 0 && press()}
      onPointerUp={release}
      onPointerLeave={release}
      onPointerCancel={release}
      onKeyDown={onKeyDown}
      onKeyUp={release}
      onBlur={release}
      onClick={clicked}
    >
      {pressedAt === undefined ? strings.hold(label) : strings.pressAgain}
    </Button>
  );
}
