import { describe, expect, it } from 'vitest';
import { answer, type RequestHandlers } from '../../../main/desktop/requests.ts';
import { shownValues } from '../../../main/desktop/window/shown-values.ts';

describe('what is sent to the window', () => {
  it('holds no character that moves, hides or reverses what is shown', () => {
    const sent = shownValues({
      name: 'dev\u001b[31m\u202e',
      tools: [{ title: 'a\u200bb', description: 'one\r\ntwo\tthree\u009b' }],
      aliases: ['x\u2066'],
      count: 3,
      none: null,
      missing: undefined,
    });
    expect(sent).toEqual({
      name: 'dev\ufffd[31m\ufffd',
      tools: [{ title: 'a\ufffdb', description: 'one\ntwo three\ufffd' }],
      aliases: ['x\ufffd'],
      count: 3,
      none: null,
      missing: undefined,
    });
  });

  it('keeps what the window sends back, and text that is data', () => {
    const exact = { id: 'a\u0001', profile: 'b\u200b', path: '/c\t', text: '{"d": "\u202e"}' };
    expect(shownValues(exact)).toEqual(exact);
  });

  it('is cleaned on its way out of each request', async () => {
    const account = {
      name: 'acme',
      host: null,
      isDefault: false,
      method: null,
      state: { status: 'signed-in', userName: 'ana\u202e', expiresAt: null, renewable: true },
    } as const;
    const handlers = { listAccounts: async () => [account] } as Partial<RequestHandlers> as RequestHandlers;
    expect(await answer(handlers, 'listAccounts', undefined)).toMatchObject({
      ok: true,
      value: [{ state: { userName: 'ana\ufffd' } }],
    });
  });
});
