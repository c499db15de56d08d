import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isSqlServer } from '../../../preload/contract/server-kinds.ts';
import {
  appOf,
  readPathPattern,
  readServerPath,
  serverPathKey,
  splitAddress,
} from '../../../preload/contract/server-path.ts';

const SQL = '/api/2.0/mcp/sql';

describe('the path of a server', () => {
  it.each([
    [SQL, SQL, SQL],
    [`${SQL}/`, `${SQL}/`, SQL],
    [`${SQL}?o=123`, `${SQL}?o=123`, SQL],
    [`${SQL}?`, SQL, SQL],
    ['/api/2.0/mcp/%73ql', SQL, SQL],
    ['/API/2.0/mcp/SQL', '/api/2.0/mcp/SQL', SQL],
    [
      '/api/2.0/mcp/functions/my catalog/größe',
      '/api/2.0/mcp/functions/my%20catalog/gr%C3%B6%C3%9Fe',
      '/api/2.0/mcp/functions/my catalog/größe',
    ],
    ['/api/2.0/mcp/functions/main/a$b', '/api/2.0/mcp/functions/main/a%24b', '/api/2.0/mcp/functions/main/a$b'],
    [
      '/ai-gateway/mcp-services/system.ai.dbsql',
      '/ai-gateway/mcp-services/system.ai.dbsql',
      '/ai-gateway/mcp-services/system.ai.dbsql',
    ],
    ['/ai-gateway/skills/?schema=main.default', '/ai-gateway/skills/?schema=main.default', '/ai-gateway/skills'],
    ['/apps/mcp-orders/', '/apps/mcp-orders/', '/apps/mcp-orders'],
    ['/apps/mcp-orders/api/mcp?a=b', '/apps/mcp-orders/api/mcp?a=b', '/apps/mcp-orders/api/mcp'],
  ])('%s is sent as %s and known as %s', (text, path, key) => {
    expect(readServerPath(text)).toEqual({ path, key });
  });

  it.each([
    ['', 'is not a managed MCP server'],
    ['/', 'is not a managed MCP server'],
    ['/api/', 'is not a managed MCP server'],
    ['api/2.0/mcp/sql', 'is not a managed MCP server'],
    ['/elsewhere/sql', 'is not a managed MCP server'],
    ['\\api\\2.0\\mcp\\sql', 'is not a managed MCP server'],
    ['//api/2.0/mcp/sql', 'is not a managed MCP server'],
    ['/api//2.0/mcp/sql', 'empty segment'],
    [`${SQL}//`, 'empty segment'],
    ['/api/2.0/mcp/./sql', 'leads to another path'],
    ['/api/2.0/mcp/genie/../sql', 'leads to another path'],
    ['/api/2.0/mcp/genie/%2e%2E/sql', 'leads to another path'],
    ['/api/2.0/mcp/genie/.../sql', 'leads to another path'],
    ['/api/2.0/mcp/genie/..;/sql', 'no server has as a name'],
    ['/api/2.0/mcp/genie/x%2F..%2F..%2Fsql', 'no server has as a name'],
    ['/api/2.0/mcp/genie%5c..%5csql', 'no server has as a name'],
    ['/api/2.0/mcp/genie\\..\\sql', 'no server has as a name'],
    [`${SQL};a=b`, 'no server has as a name'],
    [`${SQL},a`, 'no server has as a name'],
    [`${SQL}:run`, 'no server has as a name'],
    [`${SQL}=1`, 'no server has as a name'],
    [`${SQL}%00`, 'no server has as a name'],
    [`${SQL}%20`, 'no server has as a name'],
    [`${SQL} `, 'no server has as a name'],
    ['/api/2.0/mcp/%20sql', 'no server has as a name'],
    [`${SQL}%5c`, 'no server has as a name'],
    [`${SQL}%2F`, 'no server has as a name'],
    [`${SQL}.`, 'no server has as a name'],
    [`${SQL}#x`, 'no server has as a name'],
    [`${SQL}%23x`, 'no server has as a name'],
    [`${SQL}%3Fo=1`, 'no server has as a name'],
    [`${SQL}%09`, 'no server has as a name'],
    [`${SQL}\n`, 'no server has as a name'],
    [`${SQL}%E2%80%8B`, 'no server has as a name'],
    ['/api/2.0/mcp/%2573ql', 'no server has as a name'],
    ['/api/2.0/mcp/ｓｑｌ', 'no server has as a name'],
    ['/api/2.0/mcp/ſql', 'no server has as a name'],
    ['/api/2.0/mcp/*', 'no server has as a name'],
    [`${SQL}%`, 'percent-encoding'],
    [`${SQL}%ff`, 'percent-encoding'],
    ['/api/2.0/mcp/\ud800', 'no server has as a name'],
    [`${SQL}?warehouse id=1`, 'query'],
    [`${SQL}?a`, 'query'],
    [`${SQL}?a=%2e`, 'query'],
    [`${SQL}?a=b?c=d`, 'query'],
    [`${SQL}?a=b#c`, 'query'],
    ['/apps/Orders/mcp', 'Databricks App'],
    ['/apps/mcp-orders', 'Databricks App'],
    [`/api/${'a'.repeat(2_000)}`, 'longer than 2000'],
  ])('is not %j, which says: %s', (text, words) => {
    expect(readServerPath(text)).toEqual({ fault: expect.stringContaining(words) });
    expect(serverPathKey(text)).toBeUndefined();
  });

  it('is read the same by a URL, and again by itself', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        'sql',
        'SQL',
        '..',
        '.',
        '%2e',
        '%2F',
        '%5c',
        '%00',
        ';',
        '/',
        '//',
        '\\',
        ' ',
        '%20',
        '?',
        '#',
        '*',
        'ß',
        'ſ',
        '%73',
        '%25',
      ),
      fc.string({ unit: 'grapheme', maxLength: 4 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 6 }), (pieces) => {
        const read = readServerPath(`/api/2.0/mcp/${pieces.join('')}`);
        if ('fault' in read) return;
        const url = new URL(read.path, 'https://workspace.example');
        expect(`${url.pathname}${url.search}`).toBe(read.path);
        expect(readServerPath(read.path)).toEqual(read);
        expect(serverPathKey(read.key)).toBe(read.key);
        expect(decodeURIComponent(url.pathname).toLowerCase().replace(/\/$/, '')).toBe(read.key);
      }),
      { numRuns: 20_000 },
    );
  });
});

describe('a pattern for paths', () => {
  it.each([
    ['', 'does not begin'],
    ['api/*', 'does not begin'],
    ['/api/**/sql', '"**"'],
    ['/api/a**', '"**"'],
    ['/api/../*', 'leads to another path'],
    ['/api//x', 'empty segment'],
    ['/api/x;*', 'no server has as a name'],
    ['/api/x?o=1', 'no server has as a name'],
  ])('is not %j, which says: %s', (text, words) => {
    expect(readPathPattern(text)).toEqual({ fault: expect.stringContaining(words) });
  });
});

describe('isSqlServer', () => {
  it.each([SQL, `${SQL}/`, `${SQL}?o=123`, '/ai-gateway/mcp-services/system.ai.dbsql', '/API/2.0/mcp/SQL'])(
    'knows %s',
    (path) => {
      expect(isSqlServer(path)).toBe(true);
    },
  );

  it.each([`${SQL}/more`, '/api/2.0/mcp/genie/sql', '/ai-gateway/mcp-services/system.ai.dbsql2', `${SQL};x`])(
    'does not know %s',
    (path) => {
      expect(isSqlServer(path)).toBe(false);
    },
  );
});

describe('an address', () => {
  it.each([
    [`https://ACME.example:443${SQL}?o=1#x`, { origin: 'https://acme.example', path: `${SQL}?o=1` }],
    [
      `https://acme.example/api/2.0/mcp/genie/../sql`,
      { origin: 'https://acme.example', path: '/api/2.0/mcp/genie/../sql' },
    ],
    ['https://acme.example\\api', undefined],
    ['https:/acme.example/api', undefined],
    ['ftp://acme.example/api', undefined],
    ['https://a:b:c/api', undefined],
  ])('%s is %o', (text, expected) => {
    expect(splitAddress(text)).toEqual(expected);
  });
});

describe('appOf', () => {
  it('reads an app and the path at its own host', () => {
    expect(appOf('/apps/mcp-orders/mcp')).toEqual({ name: 'mcp-orders', path: '/mcp' });
    expect(appOf(SQL)).toBeUndefined();
  });
});
