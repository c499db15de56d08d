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
