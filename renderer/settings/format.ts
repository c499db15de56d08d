import type { UpdateState } from '../../preload/contract.ts';

/** Where the search for a newer version stands, as a sentence. */
export function formatUpdate(state: UpdateState): string {
  switch (state.status) {
    case 'off':
      return 'New versions are looked for only when you ask.';
    case 'not-possible-here':
      return state.reason === 'development'
        ? 'This copy was built from its sources: update it from there.'
        : 'Your package manager keeps this copy up to date.';
    case 'idle':
      return state.checkedAt === null ? 'New versions have not been looked for yet.' : 'You have the newest version.';
    case 'checking':
      return 'Looking for a new version…';
    case 'available':
      return `Version ${state.version} is there.`;
    case 'downloading':
      return `Fetching version ${state.version}: ${state.percent} %.`;
    case 'ready':
      return `Version ${state.version} is ready. Your AI clients go on while Causeway restarts.`;
    case 'failed':
      return state.problem.message;
  }
}

/** What the person can do about it. */
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
  return ofEnvironment === null
    ? 'The keychain is the safer place. Your sign-ins move along when you change this.'
    : `The environment variable CAUSEWAY_TOKEN_STORE decides this: it says “${ofEnvironment}”.`;
}
