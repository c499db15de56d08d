import { isLocked, lockedValue } from '../../permissions/policy/policy.ts';
import { changeUserTags, readUserTags, tagsFile } from '../../permissions/policy/request-tags.ts';
import { currentPolicy } from '../../permissions/policy/system-policy.ts';
import type { RequestTags } from '../../permissions/policy/tag-text.ts';
import { CausewayError } from '../../platform/errors.ts';
import type { Answer } from '../answers/answers.ts';
import type { CommandContext } from '../command.ts';
import { printable, writeAnswer, writeDone, writeNotice, writeTable } from '../terminal.ts';

interface JsonOption {
  json?: boolean | undefined;
}

type Tag = Answer<'settings tags'>['tags'][number];

/** What Causeway adds for each AI client. */
const OWN = 'Causeway adds "client" and "project". Set one to leave it out: causeway settings tags set project=';

/** `causeway settings tags`: the tags that each request to the gateway carries, and who has decided each. */
export async function listTags(context: CommandContext, { json }: JsonOption): Promise<void> {
  const tags = await allTags(context);
  if (json) return writeAnswer(context, 'settings tags', { tags, file: tagsFile(context.env) });
  if (tags.length === 0)
    await writeNotice(context, 'No tags are set. Set one with: causeway settings tags set NAME=VALUE');
  else
    await writeTable(
      context,
      tags.map((tag) => [tag.name, shownValue(tag.value), decider(tag)]),
      ['TAG', 'VALUE', 'SET BY'],
    );
  await writeNotice(context, OWN);
}

/** `causeway settings tags set NAME=VALUE…`. */
export async function setTags(context: CommandContext, texts: readonly string[], options: JsonOption): Promise<void> {
  const set = Object.fromEntries(texts.map(tagIn));
  await changeUserTags(context.env, { set });
  await tell(context, Object.keys(set), options);
}

/** `causeway settings tags clear NAME…`. */
export async function clearTags(
  context: CommandContext,
  texts: readonly string[],
  { all, json }: JsonOption & { all?: boolean },
): Promise<void> {
  if (all ? texts.length > 0 : texts.length === 0) {
    throw new CausewayError('usage', all ? '--all stands alone.' : 'It is not said which tags to clear.', {
      remedy: 'Name them, or give --all alone.',
    });
  }
  const set = await readUserTags(context.env);
  const unknown = texts.find((name) => !Object.hasOwn(set, name));
  if (unknown !== undefined) {
    throw new CausewayError('not_found', `You have set no tag "${unknown}".`, {
      remedy: '`causeway settings tags` lists the tags.',
    });
  }
  const locked = lockedValue(await currentPolicy(), 'requestTags') ?? {};
  const clear = all ? Object.keys(set).filter((name) => !Object.hasOwn(locked, name)) : texts;
  await changeUserTags(context.env, { clear });
  await tell(context, clear, { json });
}

async function tell(context: CommandContext, names: readonly string[], { json }: JsonOption): Promise<void> {
  const tags = await allTags(context);
  if (json) return writeAnswer(context, 'settings tags', { tags, file: tagsFile(context.env) });
  if (names.length === 0) await writeDone(context, 'You have set no tags.');
  for (const name of names) {
    const tag = tags.find((each) => each.name === name);
    await writeDone(context, printable(tag ? `${name} is ${shownValue(tag.value)}.` : `${name} is not set.`));
  }
}

async function allTags({ env }: CommandContext): Promise<Tag[]> {
  const [user, policy] = await Promise.all([readUserTags(env), currentPolicy()]);
  const ofOrganization: RequestTags = policy.keys.requestTags?.value ?? {};
  const locked = isLocked(policy, 'requestTags');
  const byOrganization = Object.entries(ofOrganization).filter(([name]) => locked || !Object.hasOwn(user, name));
  const byUser = Object.entries(user).filter(([name]) => !locked || !Object.hasOwn(ofOrganization, name));
  return [
    ...byOrganization.map(([name, value]): Tag => ({ name, value, by: 'organization', locked })),
    ...byUser.map(([name, value]): Tag => ({ name, value, by: 'user', locked: false })),
  ];
}

function shownValue(value: string): string {
  return value === '' ? 'left out' : value;
}

function decider({ by, locked }: Tag): string {
  if (by === 'user') return 'you';
  return locked ? 'your organization, locked' : 'your organization';
}

/** @throws {CausewayError} `usage` */
function tagIn(text: string): [name: string, value: string] {
  const at = text.indexOf('=');
  if (at > 0) return [text.slice(0, at), text.slice(at + 1)];
  throw new CausewayError('usage', `"${text}" is not a tag.`, {
    remedy: 'Use the form NAME=VALUE, such as team=data. Without a value, the tag is left out.',
  });
}
