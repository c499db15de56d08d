import type { WorkspaceSession } from '../app/causeway.ts';
import { userSummary } from '../warehouses/users.ts';
import type { Answer } from './answers/answers.ts';
import type { CommandContext } from './command.ts';
import { printable, writeNotice } from './terminal.ts';

/** How long the answer of a command waits for the user's name, in milliseconds: the change itself is made. */
const WHO_TIMEOUT_MS = 5_000;

/** In which workspace something is changed, and as whom. */
export interface Place {
  profile: string;
  host: string;
  /** Null if it could not be read. */
  user: { id: string; userName: string; displayName: string } | null;
}

/** Reads where and as whom a session acts. */
export async function placeOf({ signal }: CommandContext, { profile, client }: WorkspaceSession): Promise<Place> {
  const user = await client.users.me(AbortSignal.any([signal, AbortSignal.timeout(WHO_TIMEOUT_MS)])).then(
    (me) => userSummary(me.user),
    () => null,
  );
  return { profile: profile.name, host: profile.host, user };
}

/** The same as a command prints it. */
export function placeAnswer({ profile, host, user }: Place): NonNullable<Answer<'warehouse import'>['place']> {
  return { profile, host, userName: user && (user.userName || user.id) };
}

/** The same, to be put into a sentence. A user who cannot be read is left out. */
export function inPlace(place: Place): string {
  return `in ${asWhom(place)}`;
}

/** The workspace, with the user and the profile. */
export function asWhom({ profile, host, user }: Place): string {
  const as = user === null ? '' : ` as ${user.userName || user.id}`;
  return printable(`${host}${as} (profile ${profile})`);
}

/**
 * Says on stderr where and as whom something was changed: the environment or the configuration file may have chosen another
 * workspace or user than expected.
 */
export async function sayWhere(context: CommandContext, place: Place): Promise<void> {
  await writeNotice(context, `Changed ${inPlace(place)}.`);
}
