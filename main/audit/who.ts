/** Who acted, when and where: the members that every record of the audit has. */
export interface Acted {
  /** When it began, in ISO 8601. */
  at: string;
  /** The workspace's user; null if that is not known. */
  user: string | null;
  /** The account on the computer. */
  osUser: string | null;
  /** The computer's name. */
  host: string;
  /** The workspace's origin; null if it is not known. */
  workspace: string | null;
  /** The workspace's number, where the profile or the address has it. */
  workspaceId: string | null;
  profile: string | null;
}

/** Addresses of Azure have the workspace's number in them. */
const AZURE_HOST = /^adb-(\d+)\.\d+\.azuredatabricks\.(?:net|us|cn)$/;

/** A workspace as records name it. */
export function workspaceOnRecord(
  workspace: { host: string; workspaceId: string | undefined } | null,
): Pick<Acted, 'workspace' | 'workspaceId'> {
  if (!workspace) return { workspace: null, workspaceId: null };
  const { host, workspaceId } = workspace;
  const hostname = URL.canParse(host) ? new URL(host).hostname : '';
  return { workspace: host, workspaceId: workspaceId ?? AZURE_HOST.exec(hostname)?.[1] ?? null };
}

/** As long as an address can be (RFC 5321 §4.5.3.1), without control characters. */
const USER = /^[^\p{C}]{1,320}$/u;
const UNUSUAL = '(unusual name)';

/** A user's name as a token or the workspace gives it. */
export function userOnRecord(user: string | null | undefined): string | null {
  return user == null || USER.test(user) ? (user ?? null) : UNUSUAL;
}
