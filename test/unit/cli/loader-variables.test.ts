import { describe, expect, it } from 'vitest';
import { withoutLoaderVariables } from '../../../main/cli/loader-variables.ts';

const start = (env: NodeJS.ProcessEnv, isPackaged: boolean, isManaged: boolean) =>
  withoutLoaderVariables({ HOME: '/home/ana', ...env }, { isPackaged, isManaged: async () => isManaged });
const SYSTEM = [
  'LD_PRELOAD',
  'LD_AUDIT',
  'LD_LIBRARY_PATH',
  'LD_DEBUG',
  'DYLD_INSERT_LIBRARIES',
  'GLIBC_TUNABLES',
  'GCONV_PATH',
];
const NODE = [
  'NODE_OPTIONS',
  'NODE_PATH',
  'NODE_REPL_EXTERNAL_MODULE',
  'OPENSSL_CONF',
  'OPENSSL_MODULES',
  'OPENSSL_ENGINES',
];

describe('a process starts again', () => {
  it.each(SYSTEM)('without %s, if it is the executable, or an organization decides', async (name) => {
    const env = { [name]: '/home/ana/hide.so' };
    expect(await start(env, true, true)).toEqual({ HOME: '/home/ana' });
    // A library may hide the policy: the executable does not rely on seeing one.
    expect(await start(env, true, false)).toEqual({ HOME: '/home/ana' });
    expect(await start(env, false, true)).toEqual({ HOME: '/home/ana' });
    expect(await start(env, false, false)).toBeUndefined();
  });

  it.each(NODE)('without %s, if an organization decides', async (name) => {
    const env = { [name]: '--require=/home/ana/hide.js' };
    for (const isPackaged of [true, false]) {
      expect(await start(env, isPackaged, true)).toEqual({ HOME: '/home/ana' });
      expect(await start(env, isPackaged, false)).toBeUndefined();
    }
  });

  it('with what of NODE_OPTIONS loads nothing', async () => {
    const env = { NODE_OPTIONS: '--use-system-ca  --import data:x --max-old-space-size=200 --require /x.js' };
    expect(await start(env, false, true)).toEqual({
      HOME: '/home/ana',
      NODE_OPTIONS: '--use-system-ca --max-old-space-size=200',
    });
    expect(await start({ NODE_OPTIONS: '--use-system-ca --no-warnings' }, false, true)).toBeUndefined();
    expect(await start({ NODE_OPTIONS: '' }, false, true)).toBeUndefined();
  });

  it('once only: what it starts with is not removed again', async () => {
    const every = Object.fromEntries([...SYSTEM, ...NODE].map((name) => [name, '--require=x --use-system-ca']));
    const first = await start(every, false, true);
    expect(first).toEqual({ HOME: '/home/ana', NODE_OPTIONS: '--use-system-ca' });
    expect(await start(first ?? {}, false, true)).toBeUndefined();
  });

  it('with every other variable as it is, and without asking for a policy if none of these is set', async () => {
    const env = {
      PATH: '/bin',
      NODE_EXTRA_CA_CERTS: '/ca.pem',
      HTTPS_PROXY: 'http://p',
      OLD_LD_PRELOAD: 'x',
      SSL_CERT_FILE: '/c',
    };
    const ask = () => Promise.reject(new Error('nobody should ask'));
    expect(await withoutLoaderVariables(env, { isPackaged: false, isManaged: ask })).toBeUndefined();
    expect(await withoutLoaderVariables({ ...env, LD_PRELOAD: 'x' }, { isPackaged: true, isManaged: ask })).toEqual(
      env,
    );
  });
});
