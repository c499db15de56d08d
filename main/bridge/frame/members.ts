/** An object's members, not yet validated. */
export type Members = Readonly<Record<string, unknown>>;

const NONE: Members = Object.freeze({});

/**
 * The members of a JSON value, to be read by fixed names; none if the value is not an object. Never throws, so data from
 * outside can be read without a check at each level.
 */
export function membersOf(json: unknown): Members {
  return isObject(json) ? json : NONE;
}

/**
 * The value at a path of names inside a JSON value; undefined if there is none. Inherited properties do not count, so the
 * names may come from outside.
 */
export function memberAt(json: unknown, ...path: string[]): unknown {
  let value = json;
  for (const name of path) value = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return value;
}

/** The elements of a JSON array; none if the value is not an array. */
export function itemsOf(json: unknown): readonly unknown[] {
  return Array.isArray(json) ? json : [];
}

/** A JSON-RPC error (JSON-RPC 2.0 §5.1), as far as it can be read. */
export interface RpcError {
  code: number;
  message: string;
}

/** The error in a parsed response; undefined if there is none. An invalid code becomes 0, an invalid message empty. */
export function rpcErrorIn(json: unknown): RpcError | undefined {
  const { error } = membersOf(json);
  if (typeof error !== 'object' || error === null) return undefined;
  const { code, message } = membersOf(error);
  return { code: typeof code === 'number' ? code : 0, message: typeof message === 'string' ? message : '' };
}

function isObject(json: unknown): json is Members {
  return typeof json === 'object' && json !== null && !Array.isArray(json);
}
