import { describe, expect, it } from 'vitest';
import { errorFrame } from '../../../main/bridge/frame/error-frame.ts';
import { CausewayError } from '../../../main/platform/errors.ts';

describe('the error frame', () => {
  it('has the id of the request, the message, and the reason for programs', () => {
    const error = new CausewayError('unreachable', 'No "way" there.', { remedy: 'Dig.' });
    expect(String(errorFrame('9007199254740993', error))).toBe(
      '{"jsonrpc":"2.0","id":9007199254740993,"error":{"code":-31999,"message":"No \\"way\\" there. Dig.","data":{"source":"causeway","reason":"unreachable"}}}',
    );
  });

  it('can be created from anything that is thrown', () => {
    expect(JSON.parse(String(errorFrame('"a"', 'odd')))).toEqual({
      jsonrpc: '2.0',
      id: 'a',
      error: { code: -31999, message: 'odd', data: { source: 'causeway' } },
    });
  });
});
