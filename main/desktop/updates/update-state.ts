import type { UpdateState } from '../../../preload/contract/settings.ts';
import type { Problem } from '../../../preload/contract.ts';

export type UpdateEvent =
  /** Looking by itself is turned on or off. */
  | { kind: 'switched'; on: boolean }
  | { kind: 'looking' }
  /** `at` in milliseconds since the epoch. */
  | { kind: 'none-found'; at: number }
  | { kind: 'found'; version: string }
  | { kind: 'downloading'; percent: number }
  | { kind: 'downloaded' }
  | { kind: 'failed'; problem: Problem };

/** Why this copy cannot replace itself; null where it can. */
export type Hindrance = 'development' | 'package-manager' | null;

export function updatesAtStart(hindrance: Hindrance, automatic: boolean): UpdateState {
  if (hindrance !== null) return { status: 'not-possible-here', reason: hindrance };
  return automatic ? { status: 'idle', checkedAt: null } : { status: 'off' };
}

/** The state after an event. What does not fit the state, because it comes late or twice, changes nothing. */
export function afterUpdateEvent(state: UpdateState, event: UpdateEvent): UpdateState {
  if (state.status === 'not-possible-here') return state;
  switch (event.kind) {
    case 'switched':
      if (event.on) return state.status === 'off' ? { status: 'idle', checkedAt: null } : state;
      return state.status === 'idle' || state.status === 'failed' ? { status: 'off' } : state;
    case 'looking':
      return mayLook(state) ? { status: 'checking' } : state;
    case 'none-found':
      return state.status === 'checking' ? { status: 'idle', checkedAt: event.at } : state;
    case 'found':
      return state.status === 'checking' ? { status: 'available', version: event.version } : state;
    case 'downloading':
      return 'version' in state && state.status !== 'ready' ? downloading(state.version, event.percent) : state;
    case 'downloaded':
      return state.status === 'downloading' ? { status: 'ready', version: state.version } : state;
    case 'failed':
      return state.status === 'checking' || state.status === 'downloading'
        ? { status: 'failed', problem: event.problem }
        : state;
  }
}

/** Whether a look makes sense now: not while one is under way, and not once there is something to install. */
export function mayLook({ status }: UpdateState): boolean {
  return status === 'off' || status === 'idle' || status === 'failed' || status === 'available';
}

function downloading(version: string, percent: number): UpdateState {
  return { status: 'downloading', version, percent: Math.max(0, Math.min(100, Math.floor(percent))) };
}

/** Why a copy of the application cannot replace itself: it is being developed, or a package manager has installed it. */
export function hindranceOf(packaged: boolean, platform: NodeJS.Platform, env: NodeJS.ProcessEnv): Hindrance {
  if (!packaged) return 'development';
  return platform === 'linux' && !env.APPIMAGE ? 'package-manager' : null;
}
