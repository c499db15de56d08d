import { describe, expect, it } from 'vitest';
import { CausewayError } from '../../../main/platform/errors.ts';
import { calling, guardOf, initializing, LIST, listing, tool } from './guard-under-test.ts';

const OFF = /turned off "drop"/;

describe('a call that has waited for a token or a session', () => {
  it('may be sent without permissions, even if its name is given twice', async () => {
    const one = guardOf({});
    const twice = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"look","name":"drop"}}';
    expect(await one.afterWait(calling(1, 'drop'))).toBeUndefined();
    expect(await one.afterWait(twice)).toBeUndefined();
  });

  it('may not be sent if its tool was turned off meanwhile', async () => {
    const one = guardOf({ off: ['other'] });
    expect(await one.afterWait(calling(1, 'drop'))).toBeUndefined();
    one.become({ off: ['drop'] });
    expect(await one.afterWait(calling(1, 'drop'))).toMatch(OFF);
    expect(await one.afterWait(calling(1, 'look'))).toBeUndefined();
  });

  it('waits for permissions that are being read', async () => {
    const one = guardOf({ off: ['other'] });
    const done = one.startReading();
    const refusal = one.afterWait(calling(1, 'drop'));
    one.become({ off: ['drop'] }, false);
    done();
    expect(await refusal).toMatch(OFF);
  });

  it('may not be sent if the permissions can no longer be read', async () => {
    const one = guardOf({ off: ['other'] });
    one.become(new CausewayError('invalid_file', 'permissions.json is not valid.'));
    expect(await one.afterWait(calling(1, 'look'))).toContain('permissions.json is not valid.');
  });

  it('is checked as a part of a batch', async () => {
    const one = guardOf({ off: ['drop'] });
    expect(await one.afterWait(`[${calling(1, 'look')},${LIST}]`)).toBeUndefined();
    expect(await one.afterWait(`[${calling(1, 'look')},${calling(2, 'drop')}]`)).toMatch(OFF);
  });

  it('may not be sent if it gives a name twice', async () => {
    const one = guardOf({ off: ['drop'] });
    const twice = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"look","name":"other"}}';
    expect(await one.afterWait(twice)).toContain('it has "name" twice');
  });

  it('is not confused with a request of another method, and not sent without a name', async () => {
    const one = guardOf({ off: ['drop'] });
    const prompt = '{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"drop"}}';
    const nameless = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":7}}';
    expect(await one.afterWait(prompt)).toBeUndefined();
    expect(await one.afterWait(nameless)).toContain("the tool's name is not a string");
  });

  it('is checked by what the server has said of its tools', async () => {
    const remembered = listing(1, tool('look', { readOnlyHint: true }), tool('drop', { readOnlyHint: false }));
    const one = guardOf({ readOnly: true }, { remembered });
    expect(await one.afterWait(calling(1, 'look'))).toBeUndefined();
    expect(await one.afterWait(calling(1, 'drop'))).toContain('"drop" may change something');
  });

  it('is checked by the permissions of its client', async () => {
    const one = guardOf({ clients: { codex: { off: ['drop'] } } });
    await one.take(initializing(0, { name: 'another' }));
    expect(await one.afterWait(calling(1, 'drop'))).toBeUndefined();
    await one.take(initializing(1, { name: 'codex-mcp-client' }));
    expect(await one.afterWait(calling(1, 'drop'))).toMatch(OFF);
  });

  it('needs approval if the permission is new, and keeps what the user has allowed', async () => {
    const one = guardOf({ ask: ['drop'] }, { askApproval: async () => 'allowed' });
    await one.take(calling(1, 'drop'));
    const [allowed] = one.passed;
    if (!allowed) throw new Error('it was not sent');
    expect(await one.afterWait(allowed)).toBeUndefined();
    expect(await one.afterWait(calling(2, 'drop'))).toContain('"drop"');
    one.become({ off: ['drop'] });
    expect(await one.afterWait(allowed)).toMatch(OFF);
  });
});

it('a call with an argument given twice is sent where nothing is restricted, and only there', async () => {
  const call = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"look","arguments":{"a":1,"a":2}}}';
  const [free, bound] = [guardOf({}), guardOf({ off: ['drop'] })];
  await free.take(call);
  await bound.take(call);
  expect([free.sent, bound.sent]).toEqual([[call], []]);
});
