import { describe, expect, it } from 'vitest';
import {
  addressed,
  addressedWithOauth,
  beginning,
  commandLineOf,
  hasAddress,
  namesApplication,
  plain,
  typed,
  wholeEntry,
} from '../../../main/clients/entry.ts';

const LAUNCH = { name: 'databricks-sql', command: '/opt/causeway', args: ['proxy', '--path', '/sql'] };
const DIRECT = { name: 'databricks-sql', url: 'https://w.example.com/mcp', clientId: 'an-id', callbackPort: 8020 };

describe('an entry that starts a process', () => {
  it('has the command and its arguments, and a type where the client wants one', () => {
    const { command, args } = LAUNCH;
    expect(plain(LAUNCH)).toEqual({ fixed: { command, args } });
    expect(typed(LAUNCH)).toEqual({ fixed: { type: 'stdio', command, args } });
  });

  it('begins with what the person may change afterwards', () => {
    const shape = beginning(beginning(plain, { disabled: false, timeout: 60 }), { timeout: 120 });
    expect(shape(LAUNCH)).toEqual({ ...plain(LAUNCH), initial: { disabled: false, timeout: 120 } });
    expect(wholeEntry(shape(LAUNCH))).toEqual({ ...plain(LAUNCH).fixed, disabled: false, timeout: 120 });
    expect(wholeEntry(plain(LAUNCH))).toEqual(plain(LAUNCH).fixed);
  });
});

describe('an entry with an address', () => {
  it('has it under the key of the client, with a type where the client wants one', () => {
    expect(addressed('serverUrl')(DIRECT)).toEqual({ fixed: { serverUrl: DIRECT.url } });
    expect(addressed('url', 'http')(DIRECT)).toEqual({ fixed: { type: 'http', url: DIRECT.url } });
  });

  it('has the OAuth application as far as the client takes it and it is known', () => {
    const both = addressedWithOauth('http', ['clientId', 'callbackPort']);
    expect(both(DIRECT)).toEqual({
      fixed: { type: 'http', url: DIRECT.url, oauth: { clientId: 'an-id', callbackPort: 8020 } },
    });
    expect(both({ ...DIRECT, callbackPort: undefined }).fixed.oauth).toEqual({ clientId: 'an-id' });
    expect(both({ ...DIRECT, clientId: undefined, callbackPort: undefined })).toEqual({
      fixed: { type: 'http', url: DIRECT.url },
    });
    expect(addressedWithOauth(undefined, ['clientId'])(DIRECT)).toEqual({
      fixed: { url: DIRECT.url, oauth: { clientId: 'an-id' } },
    });
  });

  it('names an application where its shape has a place for one', () => {
    expect(namesApplication(addressedWithOauth('http', ['clientId']))).toBe(true);
    expect(namesApplication(addressedWithOauth('http', ['callbackPort']))).toBe(false);
    expect(namesApplication(addressed('url'))).toBe(false);
    expect(namesApplication(undefined)).toBe(false);
  });
});

describe('the command line in an entry', () => {
  it.each<[string, unknown, string[]]>([
    ['a command with arguments', { command: '/opt/causeway', args: ['proxy'] }, ['/opt/causeway', 'proxy']],
    ['a command that is a list', { command: ['/opt/causeway', 'proxy'] }, ['/opt/causeway', 'proxy']],
    ['another name of the command', { cmd: '/opt/causeway', args: ['proxy'] }, ['/opt/causeway', 'proxy']],
    ['a command inside a transport', { transport: { command: 'a', args: ['b'] } }, ['a', 'b']],
    ['a transport that is only a word', { transport: 'stdio', command: 'a' }, ['a']],
    ['arguments that are no texts', { command: 'a', args: [1, 'b', null] }, ['a', 'b']],
    ['no command', { url: 'https://w.example.com' }, []],
    ['nothing', null, []],
    ['a text', 'causeway proxy', []],
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
