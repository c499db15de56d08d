import type { DiagnosticCheck, DiagnosticNextStep } from '../../../preload/contract.ts';
import type { Profile } from '../../auth/auth.ts';
import type { Finding, Screen } from '../../diagnosis/finding.ts';
import { actionInWords } from '../../platform/next-action.ts';
import { sentences } from '../../platform/sentences.ts';
import { AS_BUTTON } from '../action-words.ts';
import { failureOf } from '../failure.ts';

const BUTTONS: Record<Screen, DiagnosticNextStep> = {
  accounts: { do: 'open-screen', screen: 'accounts', label: 'Open Accounts' },
  warehouse: { do: 'open-screen', screen: 'warehouse', label: 'Open Warehouse' },
  servers: { do: 'open-screen', screen: 'servers', label: 'Open Servers' },
  clients: { do: 'open-screen', screen: 'clients', label: 'Open AI clients' },
  settings: { do: 'open-screen', screen: 'settings', label: 'Open Settings' },
  log: { do: 'show-log', label: 'Show the log' },
};

/** A finding as the window shows it: what can be done is one of its buttons. */
export function shownFinding(
  { status, words, advice, action, screen, error }: Finding,
  profile: Profile | undefined,
): Pick<DiagnosticCheck, 'status' | 'words' | 'remedy' | 'nextStep'> {
  const remedy = sentences(advice, action && actionInWords(AS_BUTTON, action)) || null;
  const nextStep = screen ? BUTTONS[screen] : null;
  if (!error || screen !== 'accounts') return { status, words, remedy, nextStep };
  const failure = failureOf(error, profile?.method, []);
  const signsIn = failure.next === 'sign-in' && profile !== undefined;
  return {
    status,
    words,
    remedy: failure.problem.remedy,
    nextStep: signsIn ? { do: 'sign-in', profile: profile.name, label: 'Sign in' } : nextStep,
  };
}
