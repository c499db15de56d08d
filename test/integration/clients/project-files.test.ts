import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CLIENTS } from '../../../main/clients/table.ts';
import { ownClients, SQL } from './own-clients.ts';

/** A project's own files: where they are, and what must be so for a client to start what they name. */

const FILES: Record<string, string> = {
  'claude-code': '.mcp.json',
  codex: '.codex/config.toml',
  'copilot-cli': '.github/mcp.json',
  gemini: '.gemini/settings.json',
  opencode: 'opencode.json',
  droid: '.factory/mcp.json',
  qwen: '.qwen/settings.json',
  amp: '.amp/settings.json',
  pi: '.pi/mcp.json',
  'qoder-cli': '.mcp.json',
  trae: '.trae/mcp.json',
  vibe: '.vibe/config.toml',
};

const TRUST: Record<string, RegExp> = {
  'claude-code': /asks each user to approve the file/,
  codex: /ignores the file until the project is trusted/,
  'copilot-cli': /ignores the file until the folder is trusted/,
  qwen: /asks each user to approve the file/,
};

describe('an entry in a project', () => {
  test.each(Object.entries(FILES))('of %s goes to %s', async (id, path) => {
    await using own = await ownClients();
    const project = join(own.home, 'work');
    await mkdir(project);
    const [outcome] = await own.service().add([id], [SQL], { project });
    expect([outcome?.result, outcome?.file]).toEqual(['written', join(project, path)]);
    expect(await own.read(join('work', path))).toMatch(/"causeway"/);
    await own.service().remove([id], [SQL.name], { project });
    await expect(own.read(join('work', path))).rejects.toThrow('ENOENT');
  });

  test.each(Object.entries(TRUST))('of %s comes with what has to be trusted', async (id, says) => {
    await using own = await ownClients();
    const [outcome] = await own.service().add([id], [SQL], { project: own.home });
    expect(outcome?.warnings.join(' ')).toMatch(says);
  });

  test('says whether the command that it starts is on the PATH', async () => {
    await using own = await ownClients();
    const warnings = async (moreCommands?: () => Promise<string[]>) => {
      const service = own.service(moreCommands && { moreCommands });
      const [outcome] = await service.add(['warp'], [SQL], { project: own.home, dryRun: true });
      return outcome?.warnings;
    };
    expect(await warnings()).toEqual([expect.stringMatching(/the command causeway\. It is not on the PATH here\./)]);
    const bin = join(own.home, 'bin');
    await mkdir(bin);
    await writeFile(join(bin, 'causeway'), '#!/bin/sh\n', { mode: 0o755 });
    expect(await warnings(async () => [bin])).toEqual([]);
  });

  test("of the user's own comes without either", async () => {
    await using own = await ownClients();
    await own.file('.claude.json', '{}');
    expect((await own.service().add(['claude-code'], [SQL]))[0]?.warnings).toEqual([]);
  });
});

test('every project file is below its folder', () => {
  for (const { project } of CLIENTS) if (project) expect(project.path.join('/')).toMatch(/^[a-z.]/);
});
