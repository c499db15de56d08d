import { expect, it } from 'vitest';
import { Ledger } from '../../../main/hub/ledger.ts';

const frame = (value: unknown) => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));

it('what waits for an answer is what was asked, and neither answered nor taken back', () => {
  const ledger = new Ledger();
  for (const id of [1, '1', 2, 3]) ledger.sent(frame({ jsonrpc: '2.0', id, method: 'tools/call', params: {} }));
  ledger.answered(frame({ jsonrpc: '2.0', id: 2, result: {} }));
  ledger.sent(frame({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1, reason: 'x' } }));
  ledger.sent(frame({ jsonrpc: '2.0', method: 'notifications/cancelled' }));
  ledger.sent(frame('{"method":"notifications/cancelled","params":'));
  expect(ledger.open.map(({ id }) => id)).toEqual(['"1"', '3']);
});

it('only what does no harm is kept to be sent again', () => {
  const ledger = new Ledger();
  const harmless = frame({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
  ledger.sent(harmless);
  ledger.sent(frame({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { secret: 'of a person' } }));
  expect(ledger.open.map((open) => open.frame)).toEqual([harmless, undefined]);
});
