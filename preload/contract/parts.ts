import { z } from 'zod';
import { ERROR_FACTS, type ErrorCode } from './error-facts.ts';

/** What several groups of the contract share. */

/** The longest text that the window sends where nothing else is said, in characters: a name, an id, an address, a search. */
const MAX_TEXT = 4_096;
/** The longest list that it sends where nothing else is said. */
const MAX_ITEMS = 1_000;

/** A text that the window sends. */
export const text = (max = MAX_TEXT) => z.string().max(max);

/** A list that the window sends. */
export const list = <Item extends z.ZodType>(item: Item, max = MAX_ITEMS) => z.array(item).max(max);

/** One of the codes of Causeway's errors. */
export const errorCode = z.custom<ErrorCode>((value) => typeof value === 'string' && Object.hasOwn(ERROR_FACTS, value));

/** A failure as it crosses to the window: a code to switch on, what happened, and what to do. Never a stack. */
export const problem = z.object({ code: errorCode, message: z.string(), remedy: z.string().nullable() });

/** A failure with the step that leads on, which tray and window offer first. */
export const failure = z.object({ problem, next: z.enum(['try-again', 'sign-in', 'choose-profile']) });

/** Requests that change or list something name the profile they mean: the tray may have switched it meanwhile. */
export const inProfile = z.object({ profile: text() });

/** What stands for an AI client beside its name: an icon by its name in `simple-icons`, or one or two letters. */
export const clientMark = z.union([z.object({ icon: z.string() }), z.object({ monogram: z.string() })]);

export type ClientMark = z.output<typeof clientMark>;
export type Failure = z.output<typeof failure>;
export type Problem = z.output<typeof problem>;
