/**
 * How a workspace behaves where its documents leave a choice, and how closely it looks at requests. Each behavior has the
 * source that permits it; a profile is a set of them. All that depends on a profile asks for one of these names.
 */

interface Behavior {
  /** What the workspace does. */
  does: string;
  /** The clause that demands or permits it. */
  source: string;
}

const OVERRIDES = 'spec/default-warehouse-override.md';
const ENDPOINTS = 'spec/managed-mcp-endpoints.md';
const WORKSPACE_FACTS = 'facts/workspace.md';
const STREAMABLE_HTTP = 'MCP 2025-11-25, Transports › Streamable HTTP';

export const BEHAVIORS = {
  demandsJson: {
    does: 'A body needs Content-Type application/json (415), and Accept has to allow JSON (406).',
    source: `${OVERRIDES} › Endpoints; RFC 9110 §12.5.1`,
  },
  refusesUnknownParameters: {
    does: 'A query parameter that the address does not have is refused (400).',
    source: `${OVERRIDES} › Endpoints, which names them all`,
  },
  refusesUnknownFields: {
    does: 'A field in a body that the record does not have is refused (400).',
    source: `${OVERRIDES} › Default warehouse override`,
  },
  demandsProtocolVersion: {
    does: 'MCP-Protocol-Version has to be the negotiated revision after initialize, from 2025-06-18 on (400).',
    source: `${STREAMABLE_HTTP} › Protocol Version Header`,
  },
  demandsServiceSessions: {
    does: 'Services and external connections issue session ids and demand them.',
    source: `${STREAMABLE_HTTP} › Session Management`,
  },
  refusesListening: {
    does: 'GET and DELETE at an MCP server are answered 405, not 404 ENDPOINT_NOT_FOUND.',
    source: `${STREAMABLE_HTTP} › Listening for Messages; ${WORKSPACE_FACTS} §6b for the other answer`,
  },
  withoutSessions: {
    does: 'No Mcp-Session-Id is ever issued; each request stands alone.',
    source: `${WORKSPACE_FACTS} §6b; protocol.md §1, 2026-07-28`,
  },
  hidesWarehouses: {
    does: 'A warehouse that the caller has no right to is in no list, and 403 by its id.',
    source: `${WORKSPACE_FACTS} §3 (a list shows what the caller can see); observability.md §2, ACL`,
  },
  hiddenIsMissing: {
    does: 'With hidesWarehouses: 404 by its id, as if there were none.',
    source: `${OVERRIDES} › Errors, 3 (statuses are not shown)`,
  },
  acceptsAnyTarget: {
    does: 'An override may name a warehouse that does not exist.',
    source: `${OVERRIDES} › Target warehouse requirement (nothing is checked at create)`,
  },
  createReplaces: {
    does: 'Create over an existing override replaces it.',
    source: `${OVERRIDES} › Override lifecycle (not shown)`,
  },
  deletesNothing: {
    does: 'Delete of an absent override succeeds.',
    source: `${OVERRIDES} › Errors, 3`,
  },
  answersChangesWithNothing: {
    does: 'Create and update of an override answer {}.',
    source: `${OVERRIDES} › Endpoints (response bodies are not shown)`,
  },
  otherErrors: {
    does: 'Errors come with other words, other codes of the same status, as text, as a page with <pre>, and as {"error"}.',
    source: `${OVERRIDES} › Errors, 3; ${WORKSPACE_FACTS} §7`,
  },
  omitsZeroValues: {
    does: 'Fields that are false, 0 or empty are left out of REST answers.',
    source: 'facts/observability.md §2 (Go omitempty)',
  },
  omitsOptionalFields: {
    does: 'Fields that clients can do without are left out: display names, creators, an override’s plain id, totals.',
    source: `${WORKSPACE_FACTS} §3; ${OVERRIDES} (other fields are not shown)`,
  },
  unknownMembers: {
    does: 'Enumerations have members, and records have fields, that no document names.',
    source: `${WORKSPACE_FACTS} §1 (parse unknown strings tolerantly)`,
  },
  untidyStreams: {
    does: 'Event streams begin with a byte order mark and a comment, use CRLF, put a frame into each data line, and end without a blank line.',
    source: `${ENDPOINTS} › Response, 2; WHATWG HTML §9.2`,
  },
  textIds: {
    does: 'The answer to request 7 carries the id "7".',
    source: `${WORKSPACE_FACTS} §6b (ids that are not those of the request)`,
  },
  fiveTierFallback: {
    does: 'The last choice of a warehouse has five tiers: well-known names, then shared ones, then all, running ones first.',
    source: `${WORKSPACE_FACTS} §2b; ${ENDPOINTS} › What the service does, 6 (the list of tiers is not shown)`,
  },
  smallPages: {
    does: 'A page of a list holds two entries, whatever was asked for.',
    source: `${WORKSPACE_FACTS} §1, §3 (page sizes are upper bounds)`,
  },
  slowFirstAnswers: {
    does: 'An MCP server’s first answer to a user takes a fifth of a second.',
    source: `${ENDPOINTS} › Limits (not shown)`,
  },
  slowToolLists: {
    does: 'An MCP server’s first list of tools takes more than two seconds for each user.',
    source: `${ENDPOINTS} › Limits (not shown)`,
  },
} satisfies Record<string, Behavior>;

export type BehaviorName = keyof typeof BEHAVIORS;
/** The behaviors that a workspace has; they may be changed at any time. */
export type Behaviors = Set<BehaviorName>;

const STRICT: readonly BehaviorName[] = [
  'demandsJson',
  'refusesUnknownParameters',
  'refusesUnknownFields',
  'demandsProtocolVersion',
  'demandsServiceSessions',
  'refusesListening',
];
const SLOPPY: readonly BehaviorName[] = [
  'acceptsAnyTarget',
  'createReplaces',
  'deletesNothing',
  'answersChangesWithNothing',
  'otherErrors',
  'omitsZeroValues',
  'omitsOptionalFields',
  'unknownMembers',
  'untidyStreams',
  'textIds',
  'fiveTierFallback',
];
const STATELESS: readonly BehaviorName[] = ['withoutSessions', 'refusesListening'];
const SLOW: readonly BehaviorName[] = ['smallPages', 'slowFirstAnswers'];

/** The profiles. `lenient` takes whatever can be understood; `mixed` is a mixture of all the others but for what takes seconds. */
const PROFILES = {
  strict: STRICT,
  lenient: [],
  hidden: ['hidesWarehouses'],
  stateless: STATELESS,
  sloppy: SLOPPY,
  slow: [...SLOW, 'slowToolLists'],
  mixed: [...SLOPPY, ...STATELESS, ...SLOW, 'hidesWarehouses', 'hiddenIsMissing'],
} satisfies Record<string, readonly BehaviorName[]>;

export type WorkspaceProfile = keyof typeof PROFILES;

/** The profile where nothing else is asked for: a request that it takes, every workspace takes. */
const DEFAULT_PROFILE: WorkspaceProfile = 'strict';

export const PROFILE_NAMES = Object.keys(PROFILES);

/** @throws {Error} with the names of all profiles */
export function profileNamed(name: string): WorkspaceProfile {
  if (isProfile(name)) return name;
  throw new Error(`There is no profile "${name}". The profiles are: ${PROFILE_NAMES.join(', ')}.`);
}

function isProfile(name: string): name is WorkspaceProfile {
  return Object.hasOwn(PROFILES, name);
}

/** The profile that the variable `CAUSEWAY_TEST_WORKSPACE` names, so that the same tests can run on each. */
export function profileOfTests(): WorkspaceProfile {
  return profileNamed(process.env.CAUSEWAY_TEST_WORKSPACE || DEFAULT_PROFILE);
}

export function behaviorsOf(profile: WorkspaceProfile): Behaviors {
  return new Set(PROFILES[profile]);
}
