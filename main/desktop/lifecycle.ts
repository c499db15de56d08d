/** Closes one part of the application. */
export type Closer = () => void | Promise<void>;

/**
 * Returns an idempotent function that runs the closers in order. A closer that fails does not stop the others, and after
 * the timeout it no longer waits for the rest.
 * @param timeoutMs how long all of them together may take
 */
export function closingOnce(closers: readonly Closer[], timeoutMs: number): () => Promise<void> {
  let closing: Promise<void> | undefined;
  return () => {
    closing ??= closeWithin(closers, timeoutMs);
    return closing;
  };
}

async function closeWithin(closers: readonly Closer[], timeoutMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, timeoutMs);
  });
  await Promise.race([closeAll(closers), timeout]);
  clearTimeout(timer);
}

async function closeAll(closers: readonly Closer[]): Promise<void> {
  for (const close of closers) {
    try {
      await close();
    } catch (error) {
      console.error('Could not close cleanly:', error);
    }
  }
}

/**
 * Whether the window opens at start: not if the system starts Causeway at login, otherwise as the setting says.
 */
export function opensWindowAtStart(args: readonly string[], wanted: boolean): boolean {
  return wanted && !args.includes('--hidden');
}
