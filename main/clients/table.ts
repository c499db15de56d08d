import type { ClientFacts } from './client.ts';
import { ANTHROPIC } from './table/anthropic.ts';
import { COMMAND_LINES } from './table/command-lines.ts';
import { EDITORS } from './table/editors.ts';
import { JETBRAINS_AND_MICROSOFT } from './table/jetbrains-and-microsoft.ts';

/** Every client that Causeway knows, in the order in which they are shown. */
export const CLIENTS: readonly ClientFacts[] = [...ANTHROPIC, ...EDITORS, ...JETBRAINS_AND_MICROSOFT, ...COMMAND_LINES];
