/** The result of some work, or `late` if it takes longer. The work itself continues. @throws what the work throws in time */
export async function within<T, Late>(timeoutMs: number, work: Promise<T>, late: Late): Promise<T | Late> {
  let timer: NodeJS.Timeout | undefined;
  const passed = new Promise<Late>((resolve) => {
    timer = setTimeout(resolve, timeoutMs, late);
  });
  return Promise.race([work, passed]).finally(() => clearTimeout(timer));
}
