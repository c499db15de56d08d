import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Caller } from '../bridge/endpoint.ts';
import { parseTags, tagFault } from '../permissions/policy/tag-text.ts';
import { homeFolder } from '../platform/paths.ts';
import { inOneLine } from '../words/failure.ts';

/** The variable of Databricks' own tool for tags: one line of JSON (databricks/unity-gateway agents/request_tags.py). */
const TAGS = 'AI_GATEWAY_REQUEST_TAGS';

/** What this process knows about who calls, for the request tags. @param complain takes why tags are not sent, as sentences */
export function callerOf(env: NodeJS.ProcessEnv, complain: (words: string) => void, folder = workingFolder()): Caller {
  const { [TAGS]: text = '' } = env;
  const project = folder === undefined ? undefined : projectOf(folder, homeFolder(env));
  if (text.trim() === '') return { project };
  try {
    return { project, tags: parseTags(text, TAGS) };
  } catch (error) {
    complain(`These tags are not sent. ${inOneLine(error)}`);
    return { project };
  }
}

/** Undefined if the folder that this process was started in is gone. */
function workingFolder(): string | undefined {
  try {
    return process.cwd();
  } catch {
    return undefined;
  }
}

/**
 * The name of the repository that a folder is in, if it can be sent as a tag; undefined outside of one. A user's home folder is
 * none, though it may be under git.
 */
function projectOf(folder: string, home: string): string | undefined {
  for (let at = folder; at !== home && at !== dirname(at); at = dirname(at)) {
    const project = basename(at);
    if (existsSync(join(at, '.git'))) return tagFault({ project }) === undefined ? project : undefined;
  }
  return undefined;
}
