/**
 * What a record that is keyed by names from outside has under a name; undefined without a record or a name. What every object inherits does not count, so that
 * a name such as `constructor` means what a file says about it.
 */
export function ownMember<Value>(
  record: Readonly<Record<string, Value>> | undefined,
  name: string | undefined,
): Value | undefined {
  return record && name !== undefined && Object.hasOwn(record, name) ? record[name] : undefined;
}

/**
 * The one name that no file may use for a member: for JavaScript it is the link to what an object inherits, and readers drop it
 * without a word. A rule under it would apply to nobody.
 */
export const UNUSABLE_NAME = '__proto__';

/** Why a file with that name is refused, as a clause. */
export const UNUSABLE_NAME_FAULT = `"${UNUSABLE_NAME}" cannot be used as a name`;
