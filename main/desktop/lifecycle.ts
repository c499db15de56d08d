/** Ends what is under way, one after the other. */
export type Closer = () => void | Promise<void>;

/**
 * Gives the function that closes everything in order, once however often it is called. One that fails does not keep the
 * others from closing, and those that take too long are not waited for.
 * @param graceMs milliseconds that all of it may take
 */
export function closingOnce(closers: readonly Closer[], graceMs: number): () => Promise<void> {
  let closing: Promise<void> | undefined;
  return () => {
    closing ??= closeWithin(closers, graceMs);
    return closing;
  };
}

async function closeWithin(closers: readonly Closer[], graceMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const grace = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, graceMs);
  });
  await Promise.race([closeAll(closers), grace]);
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
 * Whether the window opens at start: never when the system starts Causeway at login, and otherwise as the person wants it.
 */
export function opensWindowAtStart(args: readonly string[], wanted: boolean): boolean {
  return wanted && !args.includes('--hidden');
}
