/** JSON as the Databricks CLI prints it: with two spaces, and with the characters escaped that Go's encoder escapes. */
export function asIndentedJson(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(
    /[<>&\u2028\u2029]/g,
    (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
