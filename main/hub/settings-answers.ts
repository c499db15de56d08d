import type { SettingsChange } from '../../preload/contract/settings.ts';
import { asCausewayError } from '../platform/errors.ts';
import { remedyFor } from '../words/failure.ts';
import { type DoneAnswer, HUB_PROTOCOL, type HubQuestion, type SettingsAnswer } from './wire.ts';

/** What the hub needs of the user's settings. */
export interface SettingsPort {
  /** Null where the system cannot start applications at login. */
  startsAtLogin(): Promise<boolean | null>;
  /** @throws {CausewayError} why nothing was changed */
  change(change: SettingsChange): Promise<void>;
  /** @throws {CausewayError} why nothing was changed */
  startAtLogin(on: boolean): Promise<void>;
}

type SettingsQuestion = Extract<HubQuestion, { question: 'settings' | 'change-settings' | 'start-at-login' }>;

/** Answers a command's question about the settings. */
export async function answerAboutSettings(
  port: SettingsPort | undefined,
  asked: SettingsQuestion,
): Promise<SettingsAnswer | DoneAnswer> {
  const hub = HUB_PROTOCOL;
  if (asked.question === 'settings') return { hub, startAtLogin: (await port?.startsAtLogin()) ?? null };
  try {
    if (asked.question === 'start-at-login') await port?.startAtLogin(asked.on);
    else await port?.change({ set: asked.set, reset: asked.reset });
    return { hub, refused: null };
  } catch (error) {
    const known = asCausewayError(error);
    return { hub, refused: { code: known.code, message: known.message, remedy: remedyFor('command', known) ?? null } };
  }
}
