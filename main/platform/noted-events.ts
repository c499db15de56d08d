/** A plain fact of an event; never a secret. */
export type EventFact = string | number | boolean | null | readonly string[];

/** Something besides calls that an audit records: a name, and plain facts. */
export interface NotedEvent {
  /** In words joined by hyphens, such as `sign-in`. */
  event: string;
  facts: Readonly<Record<string, EventFact>>;
}

/** @param env of the user whose event it is: a process may act in several home folders */
export type EventListener = (event: NotedEvent, env: NodeJS.ProcessEnv) => void;

const listeners = new Set<EventListener>();

/** Tells of an event of this process where it is decided. Without a listener, nothing happens. */
export function noteEvent(env: NodeJS.ProcessEnv, event: string, facts: NotedEvent['facts']): void {
  for (const listener of listeners) listener({ event, facts }, env);
}

/** Listeners must not throw and must be quick. @returns a function that ends it */
export function onNotedEvent(listener: EventListener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
