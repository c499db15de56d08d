import { useEffect, useState } from 'react';

/** How long nothing can be pressed after something new is in sight, in milliseconds: a click on its way meant something else. */
const INERT_MS = 600;

/** Whether what is shown is too new to be pressed. Shown anew, and in sight again, it is new. */
export function useInert(shown: string): boolean {
  const [settled, setSettled] = useState<string>();
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>;
    const start = () => {
      setSettled(undefined);
      clearTimeout(timer);
      if (document.visibilityState === 'visible') timer = setTimeout(() => setSettled(shown), INERT_MS);
    };
    start();
    document.addEventListener('visibilitychange', start);
    return () => {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', start);
    };
  }, [shown]);
  return settled !== shown;
}
