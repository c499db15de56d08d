import type { ClientFacts } from '../client.ts';
import { COMMAND_LINES_A_TO_G } from './command-lines-a-to-g.ts';
import { COMMAND_LINES_H_TO_Z } from './command-lines-h-to-z.ts';

/** Clients that live in a terminal, some of them with a window besides, by name. */
export const COMMAND_LINES: ClientFacts[] = [...COMMAND_LINES_A_TO_G, ...COMMAND_LINES_H_TO_Z];
