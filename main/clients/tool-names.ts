import { CLIENTS } from './table.ts';

/** Tools of a server that a client would cut or refuse for the length of their names, as a sentence for each client. */
export function longNames(server: string, tools: readonly string[]): string[] {
  return CLIENTS.flatMap(({ name: client, toolNames }) => {
    if (!toolNames) return [];
    const room = toolNames.limit - toolNames.prefix(server).length;
    const long = tools.filter((name) => name.length > room);
    return long.length === 0
      ? []
      : [`${client} takes ${toolNames.limit} characters with its prefix, which is too few for ${long.join(', ')}.`];
  });
}
