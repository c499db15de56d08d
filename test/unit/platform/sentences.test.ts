import { describe, expect, it } from 'vitest';
import { failureInWindow, problemFor } from '../../../main/desktop/failure.ts';
import { asSentence, CausewayError, sentences } from '../../../main/platform/errors.ts';
import { inOneLine } from '../../../main/words/failure.ts';
import { readErrorBody, workspaceRefusal } from '../../../main/workspace/errors.ts';

describe('joined sentences', () => {
  it.each([
    [['Genie space X not found', 'Check what the path names.'], 'Genie space X not found. Check what the path names.'],
    [['It is gone.', 'Try again.'], 'It is gone. Try again.'],
    [['Is it there?', 'Look', 'Then go'], 'Is it there? Look. Then go'],
    [['It says “no.”', 'Stop.'], 'It says “no.” Stop.'],
    [['Lost (ECONNRESET)', 'Stop.'], 'Lost (ECONNRESET). Stop.'],
    [['To see why, run:', 'run --me'], 'To see why, run: run --me'],
    [[' spaced \n', null, undefined, '', 'out '], 'spaced. out'],
    [[], ''],
  ])('%j read %s', (texts, expected) => {
    expect(sentences(...texts)).toBe(expected);
  });

  it('end with a period even if a server’s text has none', () => {
    expect(asSentence('BAD_REQUEST: Genie space X not found')).toBe('BAD_REQUEST: Genie space X not found.');
    const words = 'BAD_REQUEST: Genie space X not found';
    const error = new CausewayError('not_found', words, { remedy: 'Check what the path of the server names.' });
    const joined = `${words}. Check what the path of the server names.`;
    expect(inOneLine(error)).toBe(joined);
    expect(failureInWindow(error)).toBe(joined);
    expect(problemFor(error).message).toBe(`${words}.`);
    const body = readErrorBody({ status: 429, text: '{"message":"slow down"}', header: () => undefined }, []);
    expect(inOneLine(workspaceRefusal('GET', 429, body))).toBe(
      'The workspace answered 429: slow down. Wait a minute and try again.',
    );
  });
});
