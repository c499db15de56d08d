import type { DiagnosticNextStep } from '../../../preload/contract.ts';
import { CausewayError } from '../../platform/errors.ts';
import { problemOf } from '../problem.ts';

/** What one check came to. */
export interface Finding {
  status: 'pass' | 'warning' | 'fail' | 'unknown' | 'skipped';
  /** What was found, as sentences. */
  words: string;
  remedy: string | null;
  nextStep: DiagnosticNextStep | null;
}

export function pass(words: string): Finding {
  return { status: 'pass', words, remedy: null, nextStep: null };
}

/** Nothing is wrong, but there was nothing to check either. */
export function skipped(words: string): Finding {
  return { status: 'skipped', words, remedy: null, nextStep: null };
}

export function warning(words: string, remedy: string, nextStep: DiagnosticNextStep | null = null): Finding {
  return { status: 'warning', words, remedy, nextStep };
}

export function fail(words: string, remedy: string | null, nextStep: DiagnosticNextStep | null = null): Finding {
  return { status: 'fail', words, remedy, nextStep };
}

/** The finding that a failure is, with the button that leads on. */
export function failedBecause(error: unknown, nextStep: DiagnosticNextStep | null = null): Finding {
  if (!(error instanceof CausewayError)) console.error('A check failed:', error);
  const { message, remedy } = problemOf(error);
  return fail(message, remedy, nextStep);
}

export const TO_ACCOUNTS: DiagnosticNextStep = { do: 'open-screen', screen: 'accounts', label: 'Open Accounts' };
export const TO_WAREHOUSE: DiagnosticNextStep = { do: 'open-screen', screen: 'warehouse', label: 'Open Warehouse' };
export const TO_SERVERS: DiagnosticNextStep = { do: 'open-screen', screen: 'servers', label: 'Open Servers' };
export const TO_CLIENTS: DiagnosticNextStep = { do: 'open-screen', screen: 'clients', label: 'Open AI clients' };
export const TO_SETTINGS: DiagnosticNextStep = { do: 'open-screen', screen: 'settings', label: 'Open Settings' };
