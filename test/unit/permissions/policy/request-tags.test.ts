import { describe, expect, it } from 'vitest';
import { NO_POLICY, type Policy } from '../../../../main/permissions/policy/policy.ts';
import { mergedTags } from '../../../../main/permissions/policy/request-tags.ts';
import { parseTags, tagFault, tagsText } from '../../../../main/permissions/policy/tag-text.ts';

const policy = (value: Record<string, string>, locked: boolean): Policy => ({
  ...NO_POLICY,
  keys: { requestTags: { value, locked } },
});

describe('a tag', () => {
  it.each<[what: string, tags: Record<string, string>, words: RegExp | undefined]>([
    ['a plain one', { team: 'data' }, undefined],
    ['letters beyond ASCII', { équipe: 'Zürich 🚀' }, undefined],
    ['no value', { project: '' }, undefined],
    [
      'a line end',
      { team: 'data\r\nx-admin: 1' },
      /^The tag "team" has a character that cannot be sent \(U\+000D\)\.$/,
    ],
    ['a line end in its name', { 'a\nb': 'c' }, /U\+000A/],
    ['half a character', { team: '\ud83d' }, /U\+D83D/],
    ['a separator of lines', { team: 'a\u2028b' }, /U\+2028/],
    ['no name', { ' ': 'data' }, /1 to 128 characters/],
    ['a long name', { ['n'.repeat(129)]: 'data' }, /1 to 128 characters/],
    ['a long value', { team: 'v'.repeat(257) }, /^The tag "team" is longer than 256 characters\.$/],
    [
      'many others',
      Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`n${at}`, 'v'.repeat(200)])),
      /At most 2048/,
    ],
  ])('with %s is sent, or refused by its name', (_what, tags, words) => {
    const fault = tagFault(tags);
    if (words) expect(fault).toMatch(words);
    else expect(fault).toBeUndefined();
  });

  it('is written in ASCII, and read as it was', () => {
    const tags = { équipe: 'Zürich 🚀', quote: '"\\' };
    expect(tagsText(tags)).toMatch(/^[\x20-\x7e]+$/);
    expect(JSON.parse(tagsText(tags))).toEqual(tags);
    expect(parseTags(` ${tagsText(tags)}\n`, 'TAGS')).toEqual(tags);
  });

  it.each(['', 'team=data', '[]', '5', 'null', '{"team":5}', '{"team":{"a":"b"}}', '{"team":"a\\nb"}'])(
    'in a text that is not an object of texts is refused with its source: %s',
    (text) => {
      expect(() => parseTags(text, 'AI_GATEWAY_REQUEST_TAGS')).toThrow(/^AI_GATEWAY_REQUEST_TAGS/);
    },
  );
});

describe('the tags of a request', () => {
  const own = { client: 'codex', project: 'shop' };
  const user = { team: 'user', color: 'blue' };
  const environment = { team: 'environment' };
  const merged = (one: Partial<Parameters<typeof mergedTags>[0]>) =>
    mergedTags({ policy: NO_POLICY, environment: {}, user: {}, own, ...one });

  it('are those that the policy locks, then of the environment, then of the user, then the defaults of the policy', () => {
    const ofPolicy = { team: 'policy', cost: '4711' };
    expect(merged({})).toEqual(own);
    expect(merged({ policy: policy(ofPolicy, false) })).toEqual({ ...own, ...ofPolicy });
    expect(merged({ policy: policy(ofPolicy, false), user })).toEqual({ ...own, ...user, cost: '4711' });
    expect(merged({ user, environment })).toEqual({ ...own, color: 'blue', team: 'environment' });
    expect(merged({ policy: policy(ofPolicy, true), user, environment })).toEqual({
      ...own,
      color: 'blue',
      ...ofPolicy,
    });
  });

  it('are without one whose value is empty', () => {
    expect(merged({ user: { project: '' } })).toEqual({ client: 'codex' });
    expect(merged({ policy: policy({ client: '' }, true), user: { client: 'x' } })).toEqual({ project: 'shop' });
  });
});
