/**
 * Variables by which whoever writes an AI client's entry has other code loaded into this process, where it could hide a policy. The
 * process starts itself again without them. What such code does before that, nothing here can prevent (docs/policy.md).
 */

/** The system's loader and its C library honor these in every program. */
const OF_THE_SYSTEM = /^(LD_|DYLD_|GLIBC_TUNABLES$|GCONV_PATH$)/;
/** Node and its TLS library honor these. Those who use them for good reasons keep them where no organization decides. */
const OF_NODE = /^(NODE_OPTIONS|NODE_PATH|NODE_REPL_EXTERNAL_MODULE|OPENSSL_(CONF|MODULES|ENGINES))$/;
/** Options of Node that load nothing and look nowhere else. */
const HARMLESS_OPTION =
  /^--(use-(system|openssl|bundled)-ca|max-old-space-size=\d+|max-http-header-size=\d+|dns-result-order=\w+|tls-m(in|ax)-v1\.\d|no-warnings|no-deprecation)$/;

export interface StartConditions {
  /** Whether this is the single executable, which needs none of the user's libraries, and ignores Node's own variables. */
  isPackaged: boolean;
  /** Whether there is a policy on this computer. Asked only where variables of Node are set. */
  isManaged(): Promise<boolean>;
}

/** The environment without such variables; undefined if nothing is to be removed. */
export async function withoutLoaderVariables(
  env: NodeJS.ProcessEnv,
  { isPackaged, isManaged }: StartConditions,
): Promise<NodeJS.ProcessEnv | undefined> {
  const ofSystem = Object.keys(env).filter((name) => OF_THE_SYSTEM.test(name));
  const ofNode = Object.keys(env).filter(
    (name) => OF_NODE.test(name) && !(name === 'NODE_OPTIONS' && isHarmless(env[name])),
  );
  if (ofSystem.length + ofNode.length === 0) return undefined;
  // A library that hides the policy hides it from this question too: the executable does not ask for its own loader's variables.
  const isAlone = isPackaged && ofNode.length === 0;
  const all = isAlone || (await isManaged()) ? [...ofSystem, ...ofNode] : isPackaged ? ofSystem : [];
  if (all.length === 0) return undefined;
  const kept = Object.entries(env).filter(([name]) => !all.includes(name));
  const options =
    env.NODE_OPTIONS === undefined ? [] : words(env.NODE_OPTIONS).filter((word) => HARMLESS_OPTION.test(word));
  return { ...Object.fromEntries(kept), ...(options.length > 0 ? { NODE_OPTIONS: options.join(' ') } : {}) };
}

function isHarmless(options = ''): boolean {
  return words(options).every((word) => HARMLESS_OPTION.test(word));
}

function words(options: string): string[] {
  return options.split(/\s+/).filter(Boolean);
}

/**
 * Replaces this process by one that starts in the same way without such variables; the process id, stdin and stdout stay. Resolves
 * where there is nothing to remove, or the system has no way to do so (Windows has no such variables of its loader).
 */
export async function startWithoutLoaderVariables(): Promise<void> {
  // On Windows it is there and throws.
  if (process.platform === 'win32' || process.execve === undefined) return;
  if (!Object.keys(process.env).some((name) => OF_THE_SYSTEM.test(name) || OF_NODE.test(name))) return;
  const isPackaged = process.getBuiltinModule('node:sea').isSea();
  const env = await withoutLoaderVariables(process.env, {
    isPackaged,
    isManaged: async () => {
      const [{ systemSource }, { ABSENT }] = await Promise.all([
        import('../permissions/policy/sources.ts'),
        import('../platform/versioned-value.ts'),
      ]);
      return systemSource().version() !== ABSENT;
    },
  });
  if (!env) return;
  const { argv0, execPath, execArgv, argv } = process;
  const own = isPackaged ? [] : [...execArgv, ...argv.slice(1, 2)];
  process.execve(execPath, [argv0, ...own, ...argv.slice(2)], env);
}
