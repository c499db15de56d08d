import type { DesktopState, Problem } from '../../preload/contract.ts';
import { strings } from './strings.ts';

/**
 * Why a profile is not connected, and what the button says that tries again; undefined if it is, or is about to be. What the state says
 * before that profile is opened is about another one, or about there being none.
 */
export function failureIn(
  { warehouse, profile: open }: Pick<DesktopState, 'warehouse' | 'profile'>,
  profile: string | null,
): { problem: Problem; retry: string } | undefined {
  if (open !== profile) return undefined;
  if (warehouse.status === 'unconfigured') return { problem: warehouse.problem, retry: strings.tryAgain };
  if (warehouse.status !== 'failed') return undefined;
  const { problem, next } = warehouse.failure;
  return { problem, retry: next === 'sign-in' ? strings.signIn.signIn : strings.tryAgain };
}
