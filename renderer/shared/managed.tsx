import type { ManagedKey, Managed as ManagedState } from '../../preload/contract.ts';
import { Notice } from './notice.tsx';
import { strings } from './strings.ts';

interface ManagedProps {
  /** `DesktopState.managed`. */
  managed: ManagedState | null;
  /** What of the policy stands in the way here; everything that is locked if left out. */
  by?: readonly ManagedKey[];
}

/** "Managed by your organization", with what is decided and why, where the user cannot change it; nothing otherwise. */
export function Managed({ managed, by }: ManagedProps) {
  if (managed === null) return null;
  const { organization, problem, contact } = managed;
  const title = strings.managed(organization);
  if (problem) return <Notice message={problem.message} remedy={problem.remedy} />;
  const locked = managed.keys.filter(({ key, locked: isLocked }) => isLocked && (by === undefined || by.includes(key)));
  if (locked.length === 0) return null;
  return (
    <Notice message={title} remedy={strings.askAdministrator(contact)} tone="note">
      <ul>
        {locked.map(({ key, title: what, value, reason }) => (
          <li key={key}>
            {what}: {value}
            {reason !== null && ` — ${reason}`}
          </li>
        ))}
      </ul>
    </Notice>
  );
}

/** Whether the organization has decided something that the user could change otherwise. */
export function isManaged(managed: ManagedState | null, key: ManagedKey): boolean {
  if (managed === null) return false;
  return managed.problem !== null || managed.keys.some((each) => each.key === key && each.locked);
}

/** Why the user cannot change something, as a sentence; null where they can. */
export function managedHint(managed: ManagedState | null, key: ManagedKey): string | null {
  if (managed === null || !isManaged(managed, key)) return null;
  const reason = managed.keys.find((each) => each.key === key)?.reason ?? null;
  return strings.managedBecause(managed.organization, reason);
}
