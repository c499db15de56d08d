import { join } from 'node:path';
import type { ListedTool } from '../permissions/decide.ts';
import { readBounded } from '../platform/bounded-file.ts';
import type { SentSecrets } from '../platform/foreign-text.ts';
import { stateFolder } from '../platform/paths.ts';

/** The stored answers: those that a client needs at startup and that seldom change. */
export type StoredMethod = 'initialize' | 'tools/list';

/**
 * What is stored: those answers, a stateless server's own `server/discover`, and which revision the server chose for each that
 * it was asked for, as one JSON object.
 */
export type StoredAnswer = StoredMethod | 'server/discover' | 'revisions';

/** The last known answers of one managed server to one profile's user, kept on disk as whole frames. */
export interface AnswerStore {
  get(answer: StoredAnswer): Promise<Buffer | undefined>;
  /**
   * Stores it without secrets. Never throws: an answer that cannot be stored is requested again next time.
   * @param owner a key of the user whom the server answered; what was stored of another one is removed
   * @param sent the tokens that the server was sent and may repeat
   */
  put(answer: StoredAnswer, frame: Buffer, owner?: string, sent?: SentSecrets): Promise<void>;
}

/** Which protocol revision a managed server spoke when it was last asked. */
export interface RevisionStore {
  /** Whether it spoke the stateless revision; false if nothing is known. Never throws. */
  isStateless(): Promise<boolean>;
  /** Never throws. */
  setStateless(stateless: boolean): Promise<void>;
}

/** A managed server as one profile reaches it. */
interface StoredServer {
  host: string;
  path: string;
  profile: string;
}

type StoredAnswers = Partial<Record<StoredAnswer | 'era' | 'owner', string>>;

/** Opens the store of the server at `path` for one profile. It holds the list of tools, never their arguments or results. */
export function openAnswerStore(env: NodeJS.ProcessEnv, server: StoredServer): AnswerStore & RevisionStore {
  let lastWrite: Promise<void> = Promise.resolve();
  const file = async () => {
    const { createHash } = await import('node:crypto');
    const key = createHash('sha256')
      .update(JSON.stringify([server.host, server.path, server.profile]))
      .digest('hex');
    return join(stateFolder(env), 'answers', `${key.slice(0, 32)}.json`);
  };
  const read = async (): Promise<StoredAnswers> => {
    try {
      const entries: unknown = JSON.parse((await readBounded(await file(), 'own')).toString('utf8'));
      return typeof entries === 'object' && entries !== null ? Object.fromEntries(Object.entries(entries)) : {};
    } catch {
      // Nothing is known yet, or the file is damaged: the next answer replaces it.
      return {};
    }
  };
  const write = async (change: StoredAnswers, sent: SentSecrets = []) => {
    const entries = await read();
    const { era, owner = '' } = entries;
    const isSameOwner = change.owner === undefined || change.owner === owner;
    const next: StoredAnswers = { ...(isSameOwner ? entries : era === undefined ? {} : { era }), ...change };
    if (JSON.stringify(next) === JSON.stringify(entries)) return;
    const { writeOutside } = await import('../platform/outside-file.ts');
    await writeOutside(await file(), JSON.stringify(next), 'json', { mode: 0o600, sent, own: ['owner', 'era'] });
  };
  /** Whose answers may be shown: those of the user who signed in last. */
  const present = async () => {
    const { SignInGeneration, signInFolder } = await import('../auth/sign-in-generation.ts');
    return new SignInGeneration(signInFolder(env, { host: server.host, name: server.profile })).user();
  };
  return {
    async get(answer) {
      const [entries, user] = await Promise.all([read(), present()]);
      const text = entries[answer];
      return typeof text === 'string' && (entries.owner ?? '') === user ? Buffer.from(text) : undefined;
    },
    put(answer, frame, owner = '', sent = []) {
      lastWrite = lastWrite.then(() => write({ [answer]: frame.toString('utf8'), owner }, sent)).catch(() => {});
      return lastWrite;
    },
    async isStateless() {
      return (await read()).era === 'modern';
    },
    setStateless(stateless) {
      lastWrite = lastWrite
        .then(async () => {
          // Servers with sessions are the rule: nothing is written for them.
          if (stateless || (await read()).era === 'modern') await write({ era: stateless ? 'modern' : 'legacy' });
        })
        .catch(() => {});
      return lastWrite;
    },
  };
}

/** The tools that the server listed last; undefined if it never did. Sends no request. */
export async function lastListedTools(env: NodeJS.ProcessEnv, server: StoredServer): Promise<ListedTool[] | undefined> {
  const listed = await openAnswerStore(env, server).get('tools/list');
  if (!listed) return undefined;
  const { listedTools } = await import('./listed-tools.ts');
  return listedTools(listed);
}

/** Remembers nothing, for an endpoint without a store. */
export const NO_STORE: AnswerStore & RevisionStore = {
  get: async () => undefined,
  put: async () => {},
  isStateless: async () => false,
  setStateless: async () => {},
};
