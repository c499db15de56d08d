import type { AuditState, UpdateState } from '../../preload/contract.ts';
import { strings } from './strings.ts';

const { updates } = strings;

/** Where the search for a newer version stands, as a sentence. */
export function formatUpdate(state: UpdateState): string {
  switch (state.status) {
    case 'off':
      return updates.off;
    case 'not-possible-here':
      return updatedBy(state);
    case 'idle':
      return state.checkedAt === null ? updates.unchecked : updates.newest;
    case 'checking':
      return updates.checking;
    case 'available':
      return updates.available(state.version);
    case 'downloading':
      return updates.downloading(state.version, state.percent);
    case 'ready':
      return updates.ready(state.version);
    case 'failed':
      return state.problem.message;
  }
}

function updatedBy({ reason, command }: Extract<UpdateState, { status: 'not-possible-here' }>): string {
  if (reason === 'development') return updates.development;
  return command === undefined ? updates.packageManager : updates.packageCommand(command);
}

/** What the user can do about it. */
export function updateOffer({ status }: UpdateState): 'check' | 'download' | 'restart' | null {
  switch (status) {
    case 'off':
    case 'idle':
    case 'failed':
      return 'check';
    case 'available':
      return 'download';
    case 'ready':
      return 'restart';
    default:
      return null;
  }
}

/** @param ofEnvironment what `CAUSEWAY_TOKEN_STORE` says */
export function formatTokenStore(ofEnvironment: string | null): string {
  return ofEnvironment === null ? strings.tokenStore.hint : strings.tokenStore.byEnvironment(ofEnvironment);
}

/** What an audit holds, and where it goes now. */
export function formatAudit({ on, file, inFile, otlp }: AuditState): string {
  const { audit } = strings;
  const places = [inFile || !on ? audit.file(file) : undefined, otlp === null ? undefined : audit.collector(otlp)];
  return [audit.hint, ...places].filter(Boolean).join(' ');
}
