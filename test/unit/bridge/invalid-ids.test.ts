import { expect, it } from 'vitest';
import { idOfInvalid, readFrame } from '../../../main/bridge/frame/frame.ts';
import { FrameSplitter } from '../../../main/bridge/frame/splitter.ts';

const CALL = '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"arguments":';

/** The raw id in the answer to a line. */
function idFor(line: string | Buffer): string | undefined {
  let id: string | undefined;
  const splitter = new FrameSplitter({
    frame: (frame) => {
      const { envelope } = readFrame(frame);
      id = envelope.kind === 'invalid' ? idOfInvalid(frame, envelope.code) : 'valid';
    },
    fault: (fault) => {
      id = fault.id;
    },
  });
  splitter.push(Buffer.from(line));
  splitter.end();
  return id;
}

const deep = `${'['.repeat(600_000)}${']'.repeat(600_000)}`;

it.each<[what: string, line: string | Buffer]>([
  ['holds NaN, as Python writes it', `${CALL}{"x":NaN}}}`],
  ['has a comma at its end', `${CALL}{},}}`],
  ['has a bracket too many', `${CALL}{}}}}`],
  ['is not UTF-8 in its arguments', Buffer.from(`${CALL}{"q":"caf\u00e9"}}}`, 'latin1')],
  ['is nested as deeply as it is long', `${CALL}${deep}}}`],
  ['has its id at its end', '{"params":{"x":NaN},"method":"tools/call","id":7}'],
])('a request that %s is answered under its id, so that its client does not wait for ever', (_, line) => {
  expect(idFor(line)).toBe('7');
});

it.each<[what: string, line: string | Buffer]>([
  ['is a response', '{"jsonrpc":"2.0","id":7,"result":NaN}'],
  ['ends before its method', '{"jsonrpc":"2.0","id":7,'],
  ['has an id that is cut off', '{"jsonrpc":"2.0","method":"a","id":"7'],
  ['has an object for its id', '{"jsonrpc":"2.0","method":"a","id":{"a":7},"params":NaN}'],
  ['has no id', Buffer.from('{"jsonrpc":"2.0","method":"a","params":"\u00e9"}', 'latin1')],
  ['has an id that is not UTF-8', Buffer.from('{"jsonrpc":"2.0","method":"a","id":"\u00e9"}', 'latin1')],
  ['is a batch', '[{"jsonrpc":"2.0","id":7,"method":"a","params":NaN}]'],
])('a line that cannot be read and %s is answered without an id', (_, line) => {
  expect(idFor(line)).toBe('null');
});
