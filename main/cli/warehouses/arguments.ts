/** The flags that the Databricks CLI takes before any command, and whether a value follows. */
const GLOBAL_FLAGS: Readonly<Record<string, boolean>> = {
  '-p': true,
  '--profile': true,
  '-o': true,
  '--output': true,
  '--debug': false,
};

/**
 * The same arguments with the flags that stand before `warehouses` behind it, where commander knows them. Those of any
 * other command stay as they are.
 */
export function globalFlagsBehindGroup(args: readonly string[]): string[] {
  let end = 0;
  for (let arg = args[end]; arg?.startsWith('-'); arg = args[end]) {
    const [name = '', value] = arg.split('=', 2);
    const takesValue = GLOBAL_FLAGS[name];
    if (takesValue === undefined) return [...args];
    end += takesValue && value === undefined ? 2 : 1;
  }
  if (args[end] !== 'warehouses') return [...args];
  return ['warehouses', ...args.slice(0, end), ...args.slice(end + 1)];
}
