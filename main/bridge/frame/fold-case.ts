const PLAIN = /^[!-~]*$/;

/**
 * A name as servers read it that ignore case (Go › encoding/json). In both directions: `ſ` is an `s` in capitals, and the sign of
 * Kelvin a `k` in small letters.
 */
export function foldCase(name: string): string {
  return PLAIN.test(name) ? name.toLowerCase() : name.toUpperCase().toLowerCase();
}
