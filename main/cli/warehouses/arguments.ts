/** The flags that the Databricks CLI takes before any command, and whether a value follows. */
const GLOBAL_FLAGS: Readonly<Record<string, boolean>> = {
  '-p': true,
  '--profile': true,
  '-o': true,
  '--output': true,
  '--debug': false,
};

/** A switch with its value behind an equals sign, as Go's flags may have it; whatever else follows it is an argument. */
const SWITCH = /^(--(?:debug|allow-missing))=(1|t|true|0|f|false)$/i;

/** The switch alone where it is on, nothing where it is off. */
function plainSwitch(arg: string): string[] {
  const [, name, value = ''] = SWITCH.exec(arg) ?? [];
  if (name === undefined) return [arg];
  return /^[1t]/i.test(value) ? [name] : [];
}

/**
 * The same arguments with the flags that stand before `warehouses` behind it, where commander knows them, and its switches
 * without values. Those of any other command stay as they are.
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
  return ['warehouses', ...args.slice(0, end), ...args.slice(end + 1)].flatMap(plainSwitch);
}
