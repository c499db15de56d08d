import type { ConfiguredServer, ToolInfo } from '../../preload/contract.ts';
import { strings } from './strings.ts';

/** States in which an admin has to grant or enable something in the workspace. */
const MATTERS_OF_THE_WORKSPACE = new Set<ConfiguredServer['state']['status']>(['no-grants', 'forbidden', 'not-found']);

export function leadsToWorkspace({ status }: ConfiguredServer['state']): boolean {
  return MATTERS_OF_THE_WORKSPACE.has(status);
}

/** States that may change soon without any action. */
const PASSING = new Set<ConfiguredServer['state']['status']>(['unreachable', 'failing', 'login-page']);

export function passesByItself({ status, action }: ConfiguredServer['state']): boolean {
  return PASSING.has(status) && action === 'check-again';
}

/** A server's type, its name if neither title nor type say it already, and its profile. */
export function formatServer(
  { type, title, name, profile }: Pick<ConfiguredServer, 'type' | 'title' | 'name' | 'profile'>,
  showsProfile: boolean,
): string {
  const shown = strings.types[type];
  const isSaid = name === title || name === shown.toLowerCase();
  return [shown, ...(isSaid ? [] : [name]), ...(showsProfile ? [strings.asProfile(profile)] : [])].join(' · ');
}

/** The time until something happens, as text. */
export function formatSoon(delayMs: number): string {
  const seconds = Math.round(delayMs / 1000);
  if (seconds <= 1) return strings.now;
  return seconds < 90 ? strings.inSeconds(seconds) : strings.inMinutes(Math.round(seconds / 60));
}

/** A mark that a tool bears, by what its server says about it. */
export type ToolBadge = 'readOnly' | 'destructive' | 'writes' | 'idempotent' | 'openWorld';

/** The badges of a tool. A hint counts only if the ones that it depends on allow it (MCP 2025-11-25 › ToolAnnotations). */
export function badgesOf({ hints, effect }: Pick<ToolInfo, 'hints' | 'effect'>): ToolBadge[] {
  const isReadOnly = effect === 'reads';
  return [
    ...(isReadOnly ? (['readOnly'] as const) : []),
    ...(effect === 'destroys' ? (['destructive'] as const) : []),
    ...(effect === 'changes' ? (['writes'] as const) : []),
    ...(hints.idempotent === true && !isReadOnly ? (['idempotent'] as const) : []),
    ...(hints.openWorld === true ? (['openWorld'] as const) : []),
  ];
}
