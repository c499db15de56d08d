import { describe, expect, it } from 'vitest';
import {
  addressed,
  addressedWithOauth,
  beginning,
  commandLineOf,
  hasAddress,
  isOurs,
  namesApplication,
  namesCallbackPort,
  otherKeys,
  plain,
  typed,
  wholeEntry,
} from '../../../main/clients/entry.ts';

const LAUNCH = { name: 'databricks-sql', command: '/opt/causeway', args: ['proxy', '--path', '/sql'] };
const DIRECT = { name: 'databricks-sql', url: 'https://w.example.com/mcp', clientId: 'an-id', callbackPort: 8020 };

describe('an entry that starts a process', () => {
  it('has the command and its arguments, and a type if the client requires one', () => {
    const { command, args } = LAUNCH;
    expect(plain(LAUNCH)).toEqual({ fixed: { command, args } });
    expect(typed(LAUNCH)).toEqual({ fixed: { type: 'stdio', command, args } });
  });

  it('starts with what the user can change later', () => {
    const shape = beginning(beginning(plain, { disabled: false, timeout: 60 }), { timeout: 120 });
    expect(shape(LAUNCH)).toEqual({ ...plain(LAUNCH), initial: { disabled: false, timeout: 120 } });
    expect(wholeEntry(shape(LAUNCH))).toEqual({ ...plain(LAUNCH).fixed, disabled: false, timeout: 120 });
    expect(wholeEntry(plain(LAUNCH))).toEqual(plain(LAUNCH).fixed);
  });
});

describe('an entry with an address', () => {
  it('has it under the key of the client, with a type if the client requires one', () => {
    expect(addressed('serverUrl')(DIRECT)).toStrictEqual({ fixed: { serverUrl: DIRECT.url } });
    expect(addressed('url', 'http')(DIRECT)).toEqual({ fixed: { type: 'http', url: DIRECT.url } });
  });

  it('has the OAuth application, as far as it is known and the client accepts it', () => {
    const both = addressedWithOauth('http', ['clientId', 'callbackPort']);
    expect(both(DIRECT)).toEqual({
      fixed: { type: 'http', url: DIRECT.url, oauth: { clientId: 'an-id', callbackPort: 8020 } },
    });
    expect(both({ ...DIRECT, callbackPort: undefined }).fixed.oauth).toStrictEqual({ clientId: 'an-id' });
    expect(both({ ...DIRECT, clientId: undefined, callbackPort: undefined })).toEqual({
      fixed: { type: 'http', url: DIRECT.url },
    });
    expect(addressedWithOauth(undefined, ['clientId'])(DIRECT)).toStrictEqual({
      fixed: { url: DIRECT.url, oauth: { clientId: 'an-id' } },
    });
  });

  it('names an application if its shape has a place for one', () => {
    expect(namesApplication(addressedWithOauth('http', ['clientId']))).toBe(true);
    expect(namesApplication(({ callbackPort }) => ({ fixed: { callbackPort } }))).toBe(false);
    expect(namesApplication(addressed('url'))).toBe(false);
    expect(namesApplication(undefined)).toBe(false);
  });

  it('names the port of the sign-in if its shape has a place for one', () => {
    expect(namesCallbackPort(addressedWithOauth('http', ['client_id', 'callback_port']))).toBe(true);
    expect(namesCallbackPort(addressedWithOauth('http', ['clientId']))).toBe(false);
    expect(namesCallbackPort(addressed('url'))).toBe(false);
    expect(namesCallbackPort(undefined)).toBe(false);
  });
});

describe('the command line in an entry', () => {
  it.each<[string, unknown, string[]]>([
    ['a command with arguments', { command: '/opt/causeway', args: ['proxy'] }, ['/opt/causeway', 'proxy']],
    ['a command that is a list', { command: ['/opt/causeway', 'proxy'] }, ['/opt/causeway', 'proxy']],
    ['the command under another name', { cmd: '/opt/causeway', args: ['proxy'] }, ['/opt/causeway', 'proxy']],
    ['a command inside a transport', { transport: { command: 'a', args: ['b'] } }, ['a', 'b']],
    ['a transport that is only a word', { transport: 'stdio', command: 'a' }, ['a']],
    ['arguments that are not strings', { command: 'a', args: [1, 'b', null] }, ['a', 'b']],
    ['no command', { url: 'https://w.example.com' }, []],
    ['nothing', null, []],
    ['a text', 'causeway proxy', []],
    ['an empty transport', { transport: null, command: 'a' }, []],
  ])('is found in %s', (_what, entry, words) => {
    expect(commandLineOf(entry)).toEqual(words);
  });
});

describe('an entry leads to an address', () => {
  it.each<[unknown, boolean]>([
    [{ url: 'https://w.example.com' }, true],
    [{ uri: 'https://w.example.com' }, true],
    [{ httpUrl: 'https://w.example.com' }, true],
    [{ serverUrl: 'https://w.example.com' }, true],
    [{ uri: 'https://w.example.com', url: 5 }, false],
    [{ url: '' }, false],
    [{ url: 5 }, false],
    [{ command: 'a' }, false],
    [null, false],
    ['https://w.example.com', false],
    [undefined, false],
  ])('%j: %s', (entry, expected) => {
    expect(hasAddress(entry)).toBe(expected);
  });
});

describe('the keys that are removed when an entry changes its form', () => {
  const stdio = plain(LAUNCH);

  it('are those that the new form does not have', () => {
    const http = addressedWithOauth('http', ['clientId'])(DIRECT);
    expect(otherKeys(stdio, http)).toEqual(['type', 'url', 'oauth']);
    expect(otherKeys(http, stdio)).toEqual(['command', 'args']);
    expect(otherKeys(typed(LAUNCH), http)).toEqual(['url', 'oauth']);
  });

  it('do not exist if the client has no other form', () => {
    expect(otherKeys(stdio, undefined)).toEqual([]);
  });
});

describe('an entry without a record', () => {
  it.each<[string, unknown]>([
    ['a command on the search path', { command: 'causeway', args: ['proxy', '--path', '/sql'] }],
    ['a path', { command: '/opt/causeway', args: ['proxy'] }],
    ['a Windows path', { command: 'C:\\Program Files\\Causeway.exe', args: ['proxy'] }],
    ['a Windows script', { command: 'C:\\npm\\causeway.cmd', args: ['proxy'] }],
    ['a command that is a list', { command: ['/opt/causeway', 'proxy'] }],
    ['a script run by Node', { command: 'node', args: ['/opt/out/cli/causeway.js', 'proxy'] }],
    ['a script run by Node for Windows', { command: 'C:\\nodejs\\node.exe', args: ['C:\\out\\causeway.js', 'proxy'] }],
    ['a script run by Node from Debian', { command: '/usr/bin/nodejs', args: ['causeway', 'proxy'] }],
    ['the source run by Electron', { command: '/opt/electron', args: ['main/app/causeway.ts', 'proxy'] }],
    ['a command in another environment', { command: 'env', args: ['-u', 'NO_PROXY', 'A=b c', 'causeway', 'proxy'] }],
    ['a script in another environment', { command: ['/usr/bin/env', '-i', 'A=', 'node', '/x/causeway.js', 'proxy'] }],
    ['a command with another priority', { command: 'nice', args: ['-n', '10', '/opt/causeway', 'proxy'] }],
    ['a command through cmd', { command: 'cmd.exe', args: ['/d', '/c', 'causeway.cmd', 'proxy'] }],
    [
      'a command with keys that the user added',
      { command: 'causeway', args: ['proxy'], env: { A: 'b' }, disabled: true },
    ],
  ])('is ours if it starts `causeway proxy`: %s', (_what, entry) => {
    expect(isOurs(entry, [])).toBe(true);
  });

  it.each<[string, unknown]>([
    ['another command of ours', { command: 'causeway', args: ['status', 'proxy'] }],
    ['the command alone', { command: 'causeway' }],
    ['a program whose name ends the same', { command: '/opt/mycauseway', args: ['proxy'] }],
    ['a program whose name begins the same', { command: '/opt/causeway-next', args: ['proxy'] }],
    ['a program in a folder of that name', { command: '/opt/causeway/run', args: ['proxy'] }],
    ['a program with another ending', { command: 'causeway.sh', args: ['proxy'] }],
    ['another computer', { command: 'ssh', args: ['host', 'causeway', 'proxy'] }],
    ['a container', { command: 'docker', args: ['run', 'causeway', 'proxy'] }],
    ['a container in another environment', { command: 'env', args: ['A=b', 'docker', 'run', 'causeway', 'proxy'] }],
    ['another computer in another environment', { command: 'env', args: ['ssh', 'causeway', 'proxy'] }],
    ['a shell', { command: 'sh', args: ['-c', 'causeway proxy'] }],
    ['another runtime', { command: 'bun', args: ['causeway.js', 'proxy'] }],
    ['a runtime whose name ends the same', { command: '/opt/mynode', args: ['causeway.js', 'proxy'] }],
    ['a runtime with another ending', { command: 'node18', args: ['causeway.js', 'proxy'] }],
    ['another script', { command: 'node', args: ['/opt/other.js', 'proxy'] }],
    ['a script whose name ends the same', { command: 'node', args: ['/opt/mycauseway.js', 'proxy'] }],
    ['a script with another ending', { command: 'node', args: ['causeway.js.bak', 'proxy'] }],
    ['another command of the script', { command: 'node', args: ['causeway.js', 'status'] }],
    ['a runtime alone', { command: 'node', args: ['proxy'] }],
    ['the words in a different order', { command: 'proxy', args: ['causeway'] }],
    ['an address of a workspace', { url: 'https://acme.cloud.databricks.com/api/2.0/mcp/sql' }],
    ['nothing', undefined],
    ['no table', ['causeway', 'proxy']],
  ])('is not ours with %s', (_what, entry) => {
    expect(isOurs(entry, [])).toBe(false);
  });
});

describe('an entry with a record', () => {
  const launched = { command: '/old/place/of/it', args: ['proxy', '--path', '/sql'] };
  const addressedOne = { type: 'http', url: DIRECT.url, oauth: { clientId: 'an-id' } };

  it.each<[string, unknown, Record<string, unknown>[]]>([
    ['as it was written', launched, [launched]],
    ['with keys that were added', { ...launched, env: { A: 'b' } }, [launched]],
    ['as it was written before', launched, [{ command: '/new' }, launched]],
    [
      'with nested keys that were added',
      { ...addressedOne, oauth: { clientId: 'an-id', scopes: ['sql'] } },
      [addressedOne],
    ],
    [
      'with the address and every key, one of them changed',
      { ...addressedOne, oauth: { clientId: 'other' } },
      [addressedOne],
    ],
    ['with an address under another key of a client', { serverUrl: DIRECT.url, more: 1 }, [{ serverUrl: DIRECT.url }]],
    ['as a parser without prototypes returns it', Object.assign(Object.create(null), launched), [launched]],
  ])('is ours %s', (_what, present, written) => {
    expect(isOurs(present, written)).toBe(true);
  });

  it.each<[string, unknown, Record<string, unknown>[]]>([
    ['with nothing written', launched, []],
    ['with only an empty entry written', launched, [{}]],
    ['with another command', { ...launched, command: '/usr/bin/other' }, [launched]],
    ['with other arguments', { ...launched, args: ['proxy'] }, [launched]],
    ['with another address', { ...addressedOne, url: 'https://other.example.com' }, [addressedOne]],
    ['with the address and one key less', { type: 'http', url: DIRECT.url }, [addressedOne]],
    ['with an inherited address', Object.create(addressedOne), [addressedOne]],
    ['with a string in its place', DIRECT.url, [addressedOne]],
    ['with a list in its place', [addressedOne], [addressedOne]],
    ['gone', undefined, [addressedOne]],
  ])('is not ours %s', (_what, present, written) => {
    expect(isOurs(present, written)).toBe(false);
  });
});
