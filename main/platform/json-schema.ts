import { z } from 'zod';

/** The JSON Schema of what a schema reads, with its descriptions and examples. */
export function jsonSchemaOf(schema: z.ZodType): z.core.JSONSchema.BaseSchema {
  return z.toJSONSchema(schema, {
    io: 'input',
    // The library leaves out the examples of what is transformed, because they might be of the result.
    override: ({ zodSchema, jsonSchema }) => {
      const examples: unknown = z.globalRegistry.get(zodSchema)?.examples;
      if (Array.isArray(examples)) jsonSchema.examples = examples;
    },
  });
}
