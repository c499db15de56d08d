import { z } from 'zod';
import type { PlainTool } from '../model.ts';
import { readArguments, type ServedServer, type ServedTool, structured } from './toolset.ts';

/** Servers whose tools are data: each answers with the arguments of its call and how many calls it has had. */

const calls = new WeakMap<PlainTool, number>();

export function plainServer(name: string, tools: () => PlainTool[]): ServedServer {
  return { name, instructions: `Tools of ${name}.`, tools: () => tools().map((tool) => servedTool(name, tool)) };
}

function servedTool(server: string, tool: PlainTool): ServedTool {
  const { name, description, parameters, readOnly, destructive } = tool;
  const hints = {
    ...(readOnly !== undefined && { readOnlyHint: readOnly }),
    ...(destructive !== undefined && { destructiveHint: destructive }),
  };
  return {
    definition: {
      name,
      description,
      inputSchema: {
        type: 'object',
        properties: Object.fromEntries(parameters.map((parameter) => [parameter, { type: 'string' }])),
        required: parameters,
      },
      ...(Object.keys(hints).length > 0 && { annotations: hints }),
    },
    call: async (input) => {
      const Arguments = z.object(Object.fromEntries(parameters.map((parameter) => [parameter, z.string()])));
      const given = readArguments(Arguments, input);
      const count = (calls.get(tool) ?? 0) + 1;
      calls.set(tool, count);
      return structured({ server, tool: name, arguments: given, call: count });
    },
  };
}

/** The tools that a service's selectors let through; none selects all. */
export function selected(tools: PlainTool[], selectors: string[] | undefined): PlainTool[] {
  if (!selectors?.length) return tools;
  return tools.filter(({ name }) =>
    selectors.some((one) => (one.endsWith('*') ? name.startsWith(one.slice(0, -1)) : name === one)),
  );
}
