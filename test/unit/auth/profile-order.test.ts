import { describe, expect, test } from 'vitest';
import { parseConfig } from '../../../main/auth/profiles/config-document.ts';
import { chooseProfile, listProfiles, profileSettings } from '../../../main/auth/profiles/profiles.ts';
import { asCausewayError } from '../../../main/platform/errors.ts';
import { remedyFor } from '../../../main/words/failure.ts';

/**
 * As whom and where a command works: flag × environment × file × default. The order is the Databricks CLI's; the source of each
 * row is a place in databricks/cli at 7bbe2852 or in databricks-sdk-go at 1ff3c785:
 *
 * - R: `cmd/root/auth.go`, where `--profile` and `default_profile` become the profile of the settings;
 * - L: `libs/databrickscfg/loader.go`, where a named profile comes before the environment;
 * - F: `config/config_file.go`, where the file is skipped, and where `[DEFAULT]` is its last resort;
 * - own: where Causeway differs, because it sends no credentials of one workspace to another.
 */
const file = {
  none: '',
  one: '[a]\nhost = a.com\ntoken = dapi-a\n',
  two: '[a]\nhost = a.com\ntoken = dapi-a\n[b]\nhost = b.com\ntoken = dapi-b\n',
  'DEFAULT and two': '[DEFAULT]\nhost = d.com\ntoken = dapi-d\n[a]\nhost = a.com\ntoken = dapi-a\n[b]\nhost = b.com\n',
  'two, b by default':
    '[a]\nhost = a.com\ntoken = dapi-a\n[b]\nhost = b.com\n[DEFAULT]\nhost = d.com\n[__settings__]\ndefault_profile = b\n',
  'one host twice': '[a]\nhost = a.com\n[a2]\nhost = https://a.com/\n',
};
const HOST = { DATABRICKS_HOST: 'https://e.com' };
const TOKEN = { DATABRICKS_TOKEN: 'dapi-e' };
const OF_A = { DATABRICKS_HOST: 'a.com/?o=7' };
const names = (profile: string) => ({ DATABRICKS_CONFIG_PROFILE: profile });

type Row = [
  source: string,
  text: keyof typeof file,
  env: NodeJS.ProcessEnv,
  flag: string | undefined,
  name: string,
  host: string,
  token: string | undefined,
];

const ROWS: Row[] = [
  ['R, L', 'two', {}, 'b', 'b', 'https://b.com', 'dapi-b'],
  ['R, L', 'two', { ...HOST, ...TOKEN }, 'b', 'b', 'https://b.com', 'dapi-b'],
  ['R, L', 'two', names('a'), 'b', 'b', 'https://b.com', 'dapi-b'],
  ['R, L', 'two, b by default', {}, 'a', 'a', 'https://a.com', 'dapi-a'],
  ['own', 'two, b by default', TOKEN, 'b', 'b', 'https://b.com', undefined],
  ['F', 'two', names('a'), undefined, 'a', 'https://a.com', 'dapi-a'],
  ['F', 'two, b by default', names('a'), undefined, 'a', 'https://a.com', 'dapi-a'],
  ['F', 'two', { ...names('a'), ...TOKEN }, undefined, '(environment)', 'https://a.com', 'dapi-e'],
  ['F', 'two', { ...names('a'), ...HOST, ...TOKEN }, undefined, '(environment)', 'https://e.com', 'dapi-e'],
  ['F', 'two', { ...names('a'), ...OF_A }, undefined, 'a', 'https://a.com', 'dapi-a'],
  ['R, F', 'two, b by default', { ...HOST, ...TOKEN }, undefined, '(environment)', 'https://e.com', 'dapi-e'],
  ['R, F', 'DEFAULT and two', { ...HOST, ...TOKEN }, undefined, '(environment)', 'https://e.com', 'dapi-e'],
  ['F', 'none', { ...HOST, ...TOKEN }, undefined, '(environment)', 'https://e.com', 'dapi-e'],
  ['F', 'two', OF_A, undefined, 'a', 'https://a.com', 'dapi-a'],
  ['R', 'two, b by default', {}, undefined, 'b', 'https://b.com', undefined],
  ['R, F', 'two, b by default', TOKEN, undefined, '(environment)', 'https://b.com', 'dapi-e'],
  ['F', 'DEFAULT and two', {}, undefined, 'DEFAULT', 'https://d.com', 'dapi-d'],
];

const book = (text: string, env: NodeJS.ProcessEnv) => ({ document: parseConfig(text), path: '~/.databrickscfg', env });

describe('as whom and where', () => {
  test.each(ROWS)('(%s) with the file “%s”, %j and --profile %s: %s', (_, text, env, flag, name, host, token) => {
    const chosen = chooseProfile(book(file[text], env), flag);
    const settings = profileSettings(book(file[text], env), chosen);
    expect([chosen, settings.host, settings.token?.reveal()]).toEqual([name, host, token]);
  });

  test.each(ROWS.filter(([, , , flag]) => flag === undefined))(
    '(%s) with the file “%s” and %j, the list marks what is used',
    (_, text, env, _flag, name) => {
      const marked = listProfiles(book(file[text], env)).filter(({ isDefault }) => isDefault);
      expect(marked.map((each) => each.name)).toEqual([name]);
    },
  );

  type Refusal = [
    source: string,
    text: keyof typeof file,
    env: NodeJS.ProcessEnv,
    code: string,
    words: string,
    remedy: string,
  ];
  const DEFINE = 'Sign in with: causeway login --host https://YOUR-WORKSPACE.';
  test.each<Refusal>([
    ['R', 'one', {}, 'ambiguous', 'has one profile, and it is not the default', 'Choose one with --profile'],
    ['R', 'two', {}, 'ambiguous', 'has several profiles, and none of them is the default', 'Choose one with --profile'],
    ['R', 'none', {}, 'profile_not_found', 'There is no profile in ~/.databrickscfg.', DEFINE],
    ['F', 'two', names('c'), 'profile_not_found', 'There is no profile "c"', 'The file has a, b.'],
    [
      'F',
      'two',
      { ...names('c'), ...HOST, ...TOKEN },
      'profile_not_found',
      'There is no profile "c"',
      'The file has a, b.',
    ],
    ['F', 'DEFAULT and two', HOST, 'profile_not_found', 'no credentials for https://e.com', DEFINE],
    ['F', 'one host twice', OF_A, 'ambiguous', 'several profiles for a.com/?o=7', 'Choose one with --profile'],
    [
      'own',
      'two',
      { ...names('a'), ...HOST },
      'profile_unusable',
      'profile "a" is for another workspace',
      'Unset DATABRICKS_HOST',
    ],
  ])('(%s) with the file “%s” and %j, nothing is guessed: %s', (_, text, env, code, words, remedy) => {
    const error = refusal(() => chooseProfile(book(file[text], env)));
    expect(error).toMatchObject({ code, message: expect.stringContaining(words) });
    expect(remedyFor('command', error)).toContain(remedy);
  });

  test('credentials without a workspace are refused for that, and [DEFAULT] does not take their place', () => {
    const credentials = book(file['DEFAULT and two'], TOKEN);
    expect(chooseProfile(credentials)).toBe('(environment)');
    const error = refusal(() => profileSettings(credentials, '(environment)'));
    expect(error).toMatchObject({
      code: 'profile_unusable',
      message: 'The environment has credentials (DATABRICKS_TOKEN), but does not say for which workspace.',
    });
    expect(remedyFor('command', error)).toBe(
      'Set DATABRICKS_HOST, or use a profile. Choose one with --profile or DATABRICKS_CONFIG_PROFILE: DEFAULT, a, b.',
    );
    expect(remedyFor('window', error)).toBe('Set DATABRICKS_HOST, or use a profile. Choose one at the top left.');
  });

  test('only variables that are set count as credentials of the environment, not the keys of the profile below', () => {
    const below = book('[b]\nclient_id = i\n[__settings__]\ndefault_profile = b\n', TOKEN);
    expect(refusal(() => profileSettings(below, chooseProfile(below))).message).toBe(
      'The environment has credentials (DATABRICKS_TOKEN), but does not say for which workspace.',
    );
  });

  test('where somebody sees which one it is, the only profile is enough', () => {
    expect(chooseProfile({ ...book(file.one, {}), takesOnlyProfile: true })).toBe('a');
    expect(() => chooseProfile({ ...book(file.two, {}), takesOnlyProfile: true })).toThrow('several profiles');
  });
});

function refusal(work: () => unknown) {
  try {
    work();
  } catch (error) {
    return asCausewayError(error);
  }
  throw new Error('it was not refused');
}
