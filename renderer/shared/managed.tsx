import type { ManagedKey, Managed as ManagedState } from '../../preload/contract.ts';
import { Notice } from './notice.tsx';
import { strings } from './strings.ts';

interface ManagedProps {
  /** `DesktopState.managed`. */
  managed: ManagedState | null;
  /** What of the policy is in the way here; everything that is locked if left out. */
  by?: readonly ManagedKey[];
}

/** "Managed by your organization", with what is decided and why, where the user cannot change it; nothing otherwise. */
export function Managed({ managed, by }: ManagedProps) {
  if (managed === null) return null;
  const { organization, problem, contact } = managed;
  const ignored = by === undefined ? managed.ignored : null;
  const title = strings.managed(organization);
  if (problem) return <Notice message={problem.message} remedy={problem.remedy} />;
  const locked = managed.keys.filter(({ key, locked: isLocked }) => isLocked && (by === undefined || by.includes(key)));
  if (locked.length === 0 && ignored === null) return null;
  return (
    <Notice message={title} remedy={strings.askAdministrator(contact)} tone="note">
      <ul>
        {locked.map(({ key, title: what, value, reason }) => (
          <li key={key}>
            {what}: {value}
            {reason !== null && ` — ${reason}`}
          </li>
        ))}
        {ignored !== null && <li>{ignored}</li>}
      </ul>
    </Notice>
  );
}

/** Whether the organization has decided something that the user could change otherwise. */
export function isManaged(managed: ManagedState | null, key: ManagedKey): boolean {
  if (managed === null) return false;
  return managed.problem !== null || managed.keys.some((each) => each.key === key && each.locked);
}

/** Why the user cannot change something, as a sentence; null if they can. */
export function managedHint(managed: ManagedState | null, key: ManagedKey): string | null {
  if (managed === null || !isManaged(managed, key)) return null;
  const reason = managed.keys.find((each) => each.key === key)?.reason ?? null;
  return strings.managedBecause(strings.managed(managed.organization), reason);
}

/** The locked list of a key; undefined if there is none. */
function lockedItems({ keys }: ManagedState, key: ManagedKey): readonly string[] | undefined {
  const plain = keys.find((each) => each.key === key && each.locked)?.plain;
  return Array.isArray(plain) ? plain : undefined;
}

/** Whether the organization lets the user have an item, such as an AI client, where it lists the allowed ones. */
export function isAllowed(managed: ManagedState | null, key: 'clients', item: string): boolean {
  if (managed === null) return true;
  return managed.problem === null && lockedItems(managed, key)?.includes(item) !== false;
}

/** Whether the organization has an item stay. */
export function isRequired(
  managed: ManagedState | null,
  key: 'requiredClients' | 'requiredServers',
  item: string,
): boolean {
  if (managed === null) return false;
  return managed.problem !== null || lockedItems(managed, key)?.includes(item) === true;
}

/** Whether the organization has switched something off. */
export function isForbidden(managed: ManagedState | null, key: 'recordContents' | 'updates'): boolean {
  if (managed === null) return false;
  const isOff = managed.keys.some((each) => each.key === key && each.locked && each.plain === false);
  return managed.problem !== null || isOff;
}
