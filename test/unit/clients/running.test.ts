import { expect, test } from 'vitest';
import { isRunning } from '../../../main/clients/running.ts';
import { CLIENTS } from '../../../main/clients/table.ts';

const desktop = CLIENTS.find(({ id }) => id === 'claude-desktop')?.overwritesWhileRunning ?? { names: [] };

test.each([
  ['Claude', true],
  ['claude-desktop', true],
  ['Claude.exe', true],
  ['C:\\Users\\ana\\AppData\\Local\\AnthropicClaude\\app-1.2.3\\claude.exe', true],
  ['C:\\Program Files\\WindowsApps\\Claude_1.0.0_x64__pzs8sxrjxfjjc\\app\\Claude.exe', true],
  ['C:\\Users\\ana\\.local\\bin\\claude.exe', false],
  ['C:\\Users\\ana\\AppData\\Roaming\\npm\\node_modules\\@anthropic-ai\\claude-code\\bin\\claude.exe', false],
  ['claude', false],
  ['C:\\tools\\notclaude.exe', false],
])('Claude Desktop runs while %s does: %s', (process, expected) => {
  expect(isRunning(desktop, new Set(['init', process]))).toBe(expected);
});
