import { expect, it } from 'vitest';
import { heldTools } from '../../../main/bridge/held-tools.ts';

const list = (result: object) => heldTools(Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, result })));

it('a list of tools is the same if only what is said about the answer differs', () => {
  const tools = [{ name: 'look' }];
  expect(list({ tools, _meta: { at: 1 }, ttlMs: 0 })).toBe(list({ tools, _meta: { at: 2 } }));
});

it('a list of tools is another one if a tool differs, or more follow', () => {
  const tools = [{ name: 'look' }];
  const one = list({ tools });
  expect(one).not.toBe(list({ tools: [{ name: 'look', title: 'Look' }] }));
  expect(one).not.toBe(list({ tools, nextCursor: '2' }));
  expect(list({})).toBeUndefined();
});
