const SAFE_TO_REPEAT = new Set([
  'initialize',
  'ping',
  'tools/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'prompts/list',
  'prompts/get',
  'completion/complete',
  'server/discover',
  // Idempotent.
  'resources/subscribe',
  'resources/unsubscribe',
  'subscriptions/listen',
  'logging/setLevel',
]);

/** Whether a request may be retried although the server may have run it already. */
export function isSafeToRepeat(method: string): boolean {
  return SAFE_TO_REPEAT.has(method);
}

/** Requests whose effect lasts as long as their session. */
const STICKY_METHODS = new Set(['resources/subscribe', 'resources/unsubscribe', 'logging/setLevel']);

/** Whether the effect of a request lasts as long as its session. */
export function isSticky(method: string): boolean {
  return STICKY_METHODS.has(method);
}
