import { describe, expect, it } from 'vitest';
import { browserOpener } from '../../../main/auth/oauth/open-browser.ts';
import { startAddress } from '../../../main/auth/oauth/start-address.ts';

const STATE = 'only-this-user-knows-it';
const PAGE = `https://acme.cloud.databricks.com/oidc/v1/authorize?client_id=x&redirect_uri=http%3A%2F%2Flocalhost%3A8021&state=${STATE}&code_challenge=abc`;
const OTHER = 'https://acme.cloud.databricks.com/mcp-service-login?name=a';

describe('the program that opens a sign-in page', () => {
  it.each<NodeJS.Platform>(['linux', 'freebsd', 'darwin'])(
    'of %s gets nothing of its address as an argument',
    (platform) => {
      const { program, args } = browserOpener(PAGE, platform, {});
      for (const text of [program, ...args]) expect(text).not.toMatch(/acme|only-this-user|abc/);
    },
  );

  it('of Linux gets an address on this computer', () => {
    const { program, args, input } = browserOpener(PAGE, 'linux', {});
    expect({ program, input }).toEqual({ program: 'xdg-open', input: '' });
    expect(args).toEqual([expect.stringMatching(/^http:\/\/localhost:8021\/open\/[\w-]{43}$/)]);
  });

  it('of macOS reads a script in which no address can end the text that it is in', () => {
    expect(browserOpener(PAGE, 'darwin', {}).input).toBe(`open location "${PAGE}"\n`);
    expect(browserOpener('https://a.example/?"\\', 'darwin', {}).input).toBe(
      'open location "https://a.example/?\\"\\\\"\n',
    );
  });

  it('of Windows, where other users cannot read arguments, gets the address', () => {
    expect(browserOpener(PAGE, 'win32', { SystemRoot: 'C:\\Windows' }).args.at(-1)).toBe(PAGE);
  });
});

describe('the address that leads to a sign-in page', () => {
  it.each([
    OTHER,
    'https://acme.cloud.databricks.com/?state=x',
    'https://acme.cloud.databricks.com/?state=x&redirect_uri=https%3A%2F%2Fevil.example',
    'https://acme.cloud.databricks.com/?state=&redirect_uri=http%3A%2F%2Flocalhost%3A8020',
  ])('is its own if it is not one of ours: %s', (address) => {
    expect(startAddress(address)).toBe(address);
  });

  it('is the same in each process, and another for each sign-in', () => {
    expect(startAddress(PAGE)).toBe(startAddress(PAGE));
    expect(startAddress(PAGE.replace(STATE, 'another'))).not.toBe(startAddress(PAGE));
  });
});
