import { fixtureSchemas } from './fixture.ts';
import type { CatalogSchema, McpService } from './model.ts';

export interface CatalogSize {
  catalogs: number;
  /** In each catalog. */
  schemas: number;
  /** In each schema. */
  services: number;
}

/**
 * A data catalog of a size that people have, beside the usual one. Its services are made when a schema is asked for.
 * One schema in ten (the last of each ten) is closed to everybody here, and one service in five (the last of each five)
 * is for `analysts` alone, so for Ben.
 */
export function largeCatalog({ catalogs, schemas, services }: CatalogSize): {
  schemas: CatalogSchema[];
  moreServices: (catalog: string, schema: string) => McpService[];
} {
  const made = numbered('catalog', catalogs).flatMap((catalog) =>
    numbered('schema', schemas).map((schema, at) => ({
      catalog,
      schema,
      grantedTo: new Set([at % 10 === 9 ? 'others' : 'users']),
    })),
  );
  const known = new Set(made.map(({ catalog, schema }) => `${catalog}.${schema}`));
  return {
    schemas: [...fixtureSchemas(), ...made],
    moreServices: (catalog, schema) => {
      if (!known.has(`${catalog}.${schema}`)) return [];
      return numbered('service', services).map((name, at) => ({
        name: `mcp-services/${catalog}.${schema}.${name}`,
        comment: `Service ${at} of ${catalog}.${schema}.`,
        serves: [{ name: 'look_up', description: 'Looks something up.', parameters: ['key'], readOnly: true }],
        grantedTo: new Set([at % 5 === 4 ? 'analysts' : 'users']),
      }));
    },
  };
}

function numbered(name: string, count: number): string[] {
  return Array.from({ length: count }, (_, at) => `${name}_${String(at).padStart(2, '0')}`);
}
