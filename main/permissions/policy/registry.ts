import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { POLICY_KEYS } from './format.ts';
import type { PolicySource } from './policy-source.ts';

const REGISTRY_KEY = String.raw`HKLM\Software\Policies\Causeway`;
/** The value of this name is the whole policy, a text (REG_SZ) in JSON. */
const REGISTRY_VALUE = 'Policy';
/** How often the registry is read again, in milliseconds: there is no cheap way to detect changes. */
const REGISTRY_MS = 60_000;
/** What a policy says beside its keys, each a value of the registry's key itself. */
const HEAD = ['version', 'organization', 'contact', 'optional'];
const ENTRY = ['value', 'locked', 'reason'];

/** The registry's policies, which only administrators write. */
export function registrySource(key = REGISTRY_KEY, now: () => number = () => performance.now()): PolicySource {
  return {
    name: `${key}\\${REGISTRY_VALUE}`,
    version: () => String(Math.floor(now() / REGISTRY_MS)),
    read: async () => {
      const output = await queryRegistry(key);
      return output === undefined ? undefined : policyInRegistry(output, key);
    },
  };
}

/**
 * The policy, as JSON, in what `reg query KEY /s` prints: the text of the value `Policy`, or, as the administrative template writes it, a
 * subkey for each key of the policy with the values `value`, `locked` and `reason`. Undefined if there is neither. Names ignore case.
 * @param key that was asked for
 * @throws if there are both, or a value is of another type
 */
export function policyInRegistry(output: string, key = REGISTRY_KEY): Buffer | undefined {
  const { whole, head, keys } = valuesIn(output, key.split('\\').length);
  if (keys.size + head.size === 0) return whole === undefined ? undefined : Buffer.from(textOf(whole).trim());
  if (whole !== undefined)
    throw new Error(`it has both the value ${REGISTRY_VALUE} and separate keys. Use one of them`);
  const entries = [...keys].map(([key, members]) => [key, Object.fromEntries(members)] as const);
  return Buffer.from(JSON.stringify({ version: 1, ...Object.fromEntries([...head, ...entries]) }));
}

/** A value as it is printed. */
interface Printed {
  kind: string;
  text: string;
}

/** @param depth how many names the path of the policy's own key has */
function valuesIn(output: string, depth: number) {
  const head = new Map<string, unknown>();
  const keys = new Map<string, Map<string, unknown>>();
  let whole: Printed | undefined;
  let subkey = '';
  for (const line of output.split(/\r?\n/)) {
    if (/^HKEY_/i.test(line)) {
      subkey = line.split('\\').slice(depth).join('\\');
      continue;
    }
    const [, name = '', kind = '', text = ''] = /^\s+(.+?)\s+(REG_\w+)(?:\s+(.*))?$/.exec(line) ?? [];
    // The unnamed value has a name in the language of the user, in brackets.
    if (name === '' || name.startsWith('(')) continue;
    const printed = { kind, text };
    if (subkey !== '') {
      const key = knownName(subkey, POLICY_KEYS);
      keys.set(key, (keys.get(key) ?? new Map<string, unknown>()).set(knownName(name, ENTRY), dataOf(name, printed)));
    } else if (isSame(name, REGISTRY_VALUE)) whole = printed;
    // What is named as a key of a policy, but is no subkey, is kept so that the policy is refused: it would decide nothing.
    else if ([...HEAD, ...POLICY_KEYS].some((known) => isSame(known, name)))
      head.set(knownName(name, [...HEAD, ...POLICY_KEYS]), dataOf(name, printed));
  }
  return { whole, head, keys };
}

const isSame = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();

/** A name in the spelling in which it is known; as it is if it is not. */
function knownName(name: string, known: readonly string[]): string {
  return known.find((each) => isSame(each, name)) ?? name;
}

/** A value as JSON has it: numbers for switches, lists of texts, and texts, of which those that are objects or lists in JSON count as such. */
function dataOf(name: string, printed: Printed): unknown {
  const { kind, text } = printed;
  if (kind === 'REG_DWORD') return isSame(name, 'version') ? Number(text) : Number(text) !== 0;
  if (kind === 'REG_MULTI_SZ') {
    const texts = checkedText(text).split(String.raw`\0`);
    return texts.filter((each) => each !== '').map(unescaped);
  }
  const whole = textOf(printed);
  if (!/^\s*[[{]/.test(whole)) return unescaped(whole);
  try {
    return JSON.parse(whole);
  } catch {
    throw new Error(`the text of "${name}" is not valid JSON`);
  }
}

/** How a letter beyond ASCII is written, in a text that is not JSON too. */
const ESCAPE = /\\u([0-9a-f]{4})/gi;

function unescaped(text: string): string {
  return text.replace(ESCAPE, (_, code) => String.fromCharCode(Number.parseInt(code, 16)));
}

function textOf({ kind, text }: Printed): string {
  if (kind !== 'REG_SZ') throw new Error(`its value has the type ${kind}, not REG_SZ`);
  return checkedText(text);
}

/** `reg` prints in the code page of the console, which differs from computer to computer. */
function checkedText(text: string): string {
  if (text.includes('\uFFFD')) throw new Error('it has letters beyond ASCII. Write them as JSON does, such as \\u00FC');
  return text;
}

/**
 * The system's own `reg.exe`, by the kernel's name for the system's folder: the variable of that name is the user's to set.
 * Where that name is not known, as under Wine, by its usual path.
 */
const REG_PATHS = [String.raw`\\?\GLOBALROOT\SystemRoot\System32\reg.exe`, String.raw`C:\Windows\System32\reg.exe`];

/** `reg query` says so on its standard error, and in the language of the user; its exit code is 1. */
async function queryRegistry(key: string): Promise<string | undefined> {
  let failure: unknown;
  for (const program of REG_PATHS) {
    try {
      const asked = promisify(execFile)(program, ['query', key, '/s', '/reg:64'], { env: {}, windowsHide: true });
      return (await asked).stdout;
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 1) return undefined;
      failure = error;
    }
  }
  throw failure;
}
