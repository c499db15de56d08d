import type { z } from 'zod';
import { foreignCause, foreignText, type SentSecrets } from '../platform/foreign-text.ts';
import type { RawAnswer } from './error-body.ts';
import { IN_DOUBT, WorkspaceError } from './errors.ts';

/** No answer of the APIs that are used here comes near this; it bounds memory against one that goes astray. */
const ANSWER_LIMIT_BYTES = 16 * 1024 * 1024;

/** Reads a body whole. @throws {WorkspaceError} `unexpected_answer` as soon as it is larger than any answer may be */
export async function readText(body: AsyncIterable<Buffer>, method: string): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > ANSWER_LIMIT_BYTES) {
      const message = `The workspace's answer is larger than ${ANSWER_LIMIT_BYTES >> 20} MiB.`;
      const doubt = method === 'GET' ? {} : { mayHaveRun: true, remedy: IN_DOUBT };
      throw new WorkspaceError('unexpected_answer', message, doubt);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** What an answer is an answer to, and how it is read. */
export interface AskedFor<T> {
  method: string;
  path: string;
  schema: z.ZodType<T>;
  decode?: (answer: RawAnswer) => unknown;
  /** The secrets that went out with the request. */
  sent: SentSecrets;
}

const NOT_THE_WORKSPACE =
  'Check that the host is the workspace itself, and that no proxy or sign-in page answers in its place.';

const asJson = ({ text }: RawAnswer): unknown => (text.trim() === '' ? {} : JSON.parse(text));

/**
 * Checks a successful answer against its schema. An empty body counts as `{}`.
 * @throws {WorkspaceError} `login_page` for a web page, `unexpected_answer` for anything else that does not fit
 */
export function parseAnswer<T>(asked: AskedFor<T>, answer: RawAnswer): T {
  const refuse = (code: 'unexpected_answer' | 'login_page', what: string, cause: unknown) =>
    new WorkspaceError(code, `The answer to ${asked.method} ${asked.path} ${what}.`, {
      status: answer.status,
      mayHaveRun: asked.method !== 'GET',
      cause: foreignCause(cause, asked.sent),
      remedy: `${NOT_THE_WORKSPACE}${asked.method === 'GET' ? '' : ` ${IN_DOUBT}`}`,
    });
  let json: unknown;
  try {
    json = (asked.decode ?? asJson)(answer);
  } catch (cause) {
    if (/^\s*</.test(answer.text)) throw refuse('login_page', 'is a web page', cause);
    throw refuse('unexpected_answer', 'is not JSON', cause);
  }
  const parsed = asked.schema.safeParse(json);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  // Names in an answer are as foreign as what they name.
  const where = foreignText(`${issue?.path.join('.') || 'the whole'}: ${issue?.message}`, { sent: asked.sent });
  throw refuse('unexpected_answer', `is not what its documentation says (${where})`, undefined);
}
