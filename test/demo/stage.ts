import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCauseway } from '../../main/app/causeway.ts';
import { type EmbeddedWorkspace, startWorkspace } from '../workspace/workspace.ts';
import type { Account } from './account.ts';
import { clickThrough } from './person.ts';

const PROFILE = 'demo';
const PERSON = 'ana@example.com';

/** A user's home folder of its own, with one workspace in it, signed in to. */
export interface Stage {
  home: string;
  /** For a program that is to live in that home and know of no other. */
  env: Record<string, string>;
  workspace: EmbeddedWorkspace;
  close(): Promise<void>;
}

/** What leads a program to other folders than those below the home it is told. */
const LEADS_ELSEWHERE = /^(DATABRICKS_|CAUSEWAY_|XDG_(CONFIG|STATE|DATA|CACHE)_HOME$|APPDATA$|LOCALAPPDATA$)/;

/** Sets up all that the window needs to show something. */
export async function openStage(account: Account): Promise<Stage> {
  const home = await mkdtemp(join(tmpdir(), 'causeway-demo-'));
  const ends: (() => Promise<unknown>)[] = [() => rm(home, { recursive: true, force: true })];
  const close = async () => {
    for (const end of ends.splice(0).reverse()) await end();
  };
  try {
    account.begin('Starting a workspace on this computer');
    const workspace = await startWorkspace();
    ends.push(() => workspace.close());
    await writeFile(
      join(home, '.databrickscfg'),
      `[${PROFILE}]\nhost = ${workspace.host}\n\n[__settings__]\ndefault_profile = ${PROFILE}\n`,
      { mode: 0o600 },
    );
    account.done(`A workspace is up at ${workspace.host}`, { host: workspace.host });

    account.begin('Signing in with the browser');
    const env = environmentIn(home);
    await signIn(account, env);
    account.done(`Signed in as ${PERSON}`, { user: PERSON });
    return { home, env, workspace, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** This computer's environment for a program that is to find that home folder and nothing of the user's. */
export function environmentIn(home: string): Record<string, string> {
  const kept = Object.entries(process.env).filter(([name]) => !LEADS_ELSEWHERE.test(name));
  return {
    ...Object.fromEntries(kept.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))),
    HOME: home,
    USERPROFILE: home,
    CAUSEWAY_HOME: join(home, 'causeway'),
    // The user's own keychain is to hold nothing of a demo.
    CAUSEWAY_TOKEN_STORE: 'encrypted-file',
  };
}

async function signIn(account: Account, env: Record<string, string>): Promise<void> {
  const causeway = createCauseway({
    env,
    openBrowser: async (url) => void clickThrough(url, PERSON).catch((error: unknown) => account.tell(String(error))),
  });
  try {
    const auth = await causeway.auth();
    await auth.signIn(await auth.profile(PROFILE));
    account.tell('The browser is played by the demo: it opens the address, picks a user and clicks Allow.');
  } finally {
    await causeway.close();
  }
}
