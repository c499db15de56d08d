import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** What a property list of macOS holds, as JSON: the system's own program reads all of its formats. */
export async function propertyListAsJson(path: string): Promise<Buffer> {
  // The user's environment must not influence what is read.
  const { stdout } = await promisify(execFile)('/usr/bin/plutil', ['-convert', 'json', '-o', '-', path], { env: {} });
  return Buffer.from(stdout);
}
