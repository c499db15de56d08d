import { useRef } from 'react';

/** The last value that was not null: a dialog keeps its text while it fades out. */
export function usePrevious<Value>(value: Value | null): Value | null {
  const last = useRef(value);
  if (value !== null) last.current = value;
  return last.current;
}
