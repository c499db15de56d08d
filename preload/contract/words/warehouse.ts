import type { WarehouseInfo } from '../warehouse.ts';

const TYPES: Record<string, string> = { PRO: 'Pro', CLASSIC: 'Classic' };

/** What kind of warehouse it is, in one word; empty if that is not known. */
export function warehouseKind({ type, serverless }: Pick<WarehouseInfo, 'type' | 'serverless'>): string {
  return serverless ? 'Serverless' : (TYPES[type] ?? type);
}

/** Its size and kind, such as `Medium` and `Serverless`, as far as they are known. */
export function sizeAndKind(warehouse: Pick<WarehouseInfo, 'size' | 'type' | 'serverless'>): string[] {
  return [warehouse.size, warehouseKind(warehouse)].filter(Boolean);
}

/** What is asked before a warehouse is stopped. */
export const stopQuestion = {
  title: (name: string) => `Stop ${name}?`,
  consequence: 'Running queries are canceled, including those of other users. The next query starts it again.',
  verb: 'Stop warehouse',
} as const;

/** The choices of an override that name no warehouse. */
export const overrideActions = { useDefault: 'Use workspace default', followLast: 'Follow my last selection' } as const;
