import { textAt, withMembers, withoutMembers } from './frame/edit.ts';
import { parseFrame } from './frame/frame.ts';
import { memberAt } from './frame/members.ts';

/** In `_meta`: as whom a session acts in an answer to `initialize`, or began in the `initialize` that continues it elsewhere. */
const USER_KEY = 'causeway/user';

const SERVER_INFO = ['result', 'serverInfo'];

/**
 * The answer to `initialize` with the user in the server's title, which clients show (MCP › Lifecycle › Initialization): a
 * session acts as whoever was signed in when it began. Frames that are no such answer stay as they are.
 */
export function withUserInTitle(frame: Buffer, userName: string | undefined): Buffer {
  if (userName === undefined || !frame.includes('"serverInfo"')) return frame;
  const info = textAt(frame, ...SERVER_INFO);
  const [title, name] = ['title', 'name'].map((member) => memberAt(parseFrame(Buffer.from(info ?? '{}')), member));
  const shown = [title, name].find((text) => typeof text === 'string' && text !== '');
  if (typeof shown !== 'string') return frame;
  const titled = `"title":${JSON.stringify(`${shown} (${userName})`)}`;
  const answer = withMembers(withoutMembers(frame, SERVER_INFO, new Set(['title'])), SERVER_INFO, titled);
  return withMembers(answer, ['result', '_meta'], userMember(userName));
}

/** As whom the session acts that this answer to `initialize` has opened, as far as it says. */
export function userInAnswer(frame: Buffer): string | undefined {
  return frame.includes(USER_KEY) ? textOf(memberAt(parseFrame(frame), 'result', '_meta', USER_KEY)) : undefined;
}

/** The client's `initialize` for another bridge, which learns as whom the client's session began. */
export function continuedAs(initialize: Buffer, userName: string | undefined): Buffer {
  return userName === undefined ? initialize : withMembers(initialize, ['params', '_meta'], userMember(userName));
}

/** As whom a session began that this `initialize` continues, and the frame without it, which is not the server's business. */
export function takeContinued(initialize: Buffer): { frame: Buffer; userName: string | undefined } {
  if (!initialize.includes(USER_KEY)) return { frame: initialize, userName: undefined };
  const userName = textOf(memberAt(parseFrame(initialize), 'params', '_meta', USER_KEY));
  return { frame: withoutMembers(initialize, ['params', '_meta'], new Set([USER_KEY])), userName };
}

function userMember(userName: string): string {
  return `${JSON.stringify(USER_KEY)}:${JSON.stringify(userName)}`;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
