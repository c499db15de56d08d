import { CLIENTS } from './table.ts';

/** A client's limit that a server's tools would exceed. */
export interface LongNames {
  /** The client's id. */
  client: string;
  /** What a person should know, as a sentence. */
  warning: string;
}

/**
 * Tools of a server whose names are too long for a client once it has put its prefix before them. Most clients hand the names
 * to a model's interface that takes 64 characters; a longer one is refused there, cut, or left out by the client.
 */
export function longNamesByClient(server: string, tools: readonly string[]): LongNames[] {
  return CLIENTS.flatMap(({ id, name, toolNames }) => {
    if (!toolNames) return [];
    const prefix = toolNames.prefix(server).length;
    const long = tools.filter((tool) => tool.length > toolNames.limit - prefix);
    const own = prefix === 0 ? '' : `, ${prefix} of them for its own prefix`;
    const limit = `${name} takes ${toolNames.limit} characters${own}`;
    return long.length === 0 ? [] : [{ client: id, warning: `${limit}: too few for ${long.join(', ')}.` }];
  });
}

/** The same as sentences alone. */
export function longNames(server: string, tools: readonly string[]): string[] {
  return longNamesByClient(server, tools).map(({ warning }) => warning);
}
