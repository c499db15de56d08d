import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** The content of a macOS property list as JSON. The system's own program can read all formats. */
export async function propertyListAsJson(path: string): Promise<Buffer> {
  // The user's environment must not influence what is read.
  const { stdout } = await promisify(execFile)('/usr/bin/plutil', ['-convert', 'json', '-o', '-', path], { env: {} });
  return Buffer.from(stdout);
}
