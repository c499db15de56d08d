import { describe, expect, it } from 'vitest';
import { type ProxyWay, parseProxyList, systemProxy } from '../../../main/platform/system-proxies.ts';

const proxy = (address: string): ProxyWay => ({ kind: 'proxy', address });
const direct: ProxyWay = { kind: 'direct' };

describe('a list of proxies as PAC scripts return it', () => {
  it.each<[string, ProxyWay[]]>([
    ['DIRECT', [direct]],
    ['', [direct]],
    ['PROXY a:1', [proxy('http://a:1')]],
    ['PROXY a:1; SOCKS5 b:2; DIRECT', [proxy('http://a:1'), { kind: 'unsupported', name: 'SOCKS5 b:2' }, direct]],
    ['HTTP a:1;HTTPS b:8443', [proxy('http://a:1'), proxy('https://b:8443')]],
    ['  proxy   proxy.example:8080 ;; direct ', [proxy('http://proxy.example:8080'), direct]],
    ['PROXY [2001:db8::1]:3128', [proxy('http://[2001:db8::1]:3128')]],
    ['PROXY a', [proxy('http://a')]],
    ['SOCKS a:1', [{ kind: 'unsupported', name: 'SOCKS a:1' }]],
  ])('"%s" is read in its order', (list, ways) => {
    expect(parseProxyList(list)).toEqual(ways);
  });

  it.each(['PROXY', 'PROXY :x', 'PROXY a:99999', 'PROXY ana:secret@a:1', 'NOTHING a:1', '<html>', 'http://a:1'])(
    '"%s" is not a proxy, so the connection is direct',
    (list) => {
      expect(parseProxyList(list)).toEqual([direct]);
    },
  );
});

describe('the proxy of the desktop', () => {
  const to = (list: string, origin = 'https://acme.example') => systemProxy(origin, async () => list);

  it('is the only one that is named, whether or not it responds', async () => {
    expect(await to('PROXY proxy.invalid:1')).toBe('http://proxy.invalid:1');
  });

  it('does not exist for a direct connection, for this computer, and if the desktop fails to answer', async () => {
    expect(await to('DIRECT; PROXY a:1')).toBeUndefined();
    for (const host of ['http://127.0.0.1:80', 'http://localhost:80', 'http://[::1]:80', 'http://a.localhost']) {
      expect(await to('PROXY a:1', host)).toBeUndefined();
    }
    expect(await systemProxy('https://acme.example', () => Promise.reject(new Error('no')))).toBeUndefined();
  });

  it('skips SOCKS if there is an alternative, and is an error if there is none', async () => {
    expect(await to('SOCKS5 b:2; DIRECT')).toBeUndefined();
    expect(await to('SOCKS5 b:2; PROXY proxy.invalid:1')).toBe('http://proxy.invalid:1');
    await expect(to('SOCKS5 b:2; SOCKS c:3')).rejects.toMatchObject({
      code: 'unreachable',
      message: expect.stringContaining('(SOCKS5 b:2, SOCKS c:3)'),
    });
  });
});
