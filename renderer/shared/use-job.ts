import { useEffect, useRef } from 'react';

/** An id under which main knows one piece of work, for as long as it runs; work that is left behind is cancelled. */
export function useJob(): { begin(): string; cancel(): void } {
  const running = useRef<string | null>(null);
  const cancel = () => {
    if (running.current !== null) void window.causeway.request.cancelJob({ job: running.current });
    running.current = null;
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when the component goes
  useEffect(() => cancel, []);
  return {
    begin: () => {
      running.current = crypto.randomUUID();
      return running.current;
    },
    cancel,
  };
}
