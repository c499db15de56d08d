import { describe, expect, it } from 'vitest';
import { ConnectionTool } from '../../../main/bridge/connection-tool.ts';
import type { EndpointSignIn } from '../../../main/bridge/endpoint.ts';
import { CausewayError } from '../../../main/platform/errors.ts';

const SIGN_IN: EndpointSignIn = { begin: async () => undefined, isDone: async () => false, pending: undefined };

function toolWith(signIn: EndpointSignIn) {
  const memory = { get: async () => undefined, put: async () => undefined };
  return new ConnectionTool({
    host: 'https://acme.example',
    path: '/api/2.0/mcp/sql',
    profile: 'test',
    signIn,
    memory,
    write: () => undefined,
    connect: async () => undefined,
  });
}

describe('what is said while a server cannot be reached', () => {
  it('is that the keychain is locked, if the sign-in is awaited from there, and nothing of the workspace', () => {
    const tool = toolWith({ ...SIGN_IN, awaitsKeychain: true });
    expect(tool.stillWaiting()).toMatchObject({
      code: 'keychain_locked',
      message: 'Nothing was run: the keychain with the sign-in is locked.',
      remedy: 'The system asks the user for its password in a window of its own. Then try again.',
    });
    const waits = 'Causeway waits for the user to unlock the keychain with the sign-in.';
    expect(tool.waitingNotice()).toBe(waits);
    expect(tool.definition().description).toContain(waits);
  });

  it('is that the workspace has not answered otherwise', () => {
    const tool = toolWith(SIGN_IN);
    expect(tool.stillWaiting().message).toBe('There is still no connection to the workspace acme.example.');
    expect(tool.waitingNotice()).toBe('acme.example has not responded yet. Still trying.');
  });

  it.each([
    ['in its message', new CausewayError('service_signed_out', 'Ana is not signed in to GitHub. Nothing was run.')],
    ['in its remedy', new CausewayError('unreachable', 'No.', { remedy: 'Ask for access. Nothing was run.' })],
    ['nowhere', new CausewayError('unreachable', 'It does not respond.', { remedy: 'Try again.' })],
  ])('is once that nothing was run, if the error of the connection says so %s', (_where, error) => {
    const tool = toolWith(SIGN_IN);
    for (const known of [error, undefined]) {
      tool.problem = known ?? tool.stillWaiting();
      const { message, remedy } = tool.stillWaiting();
      expect(`${message} ${remedy}`.match(/Nothing was run/g)).toHaveLength(1);
    }
  });
});
