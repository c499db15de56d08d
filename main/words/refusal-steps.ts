import type { RefusalKind } from '../../preload/contract/refusals.ts';
import { isSqlServer, pathOfRow } from '../../preload/contract/server-kinds.ts';
import { sentences } from '../platform/errors.ts';
import { REMEDIES } from './remedies.ts';

/** Where a request was refused. */
export interface RefusedPlace {
  /** The server's path. */
  path: string;
  /** Whom users ask, as a sentence. */
  ask: string;
}

/** Where a workspace shows its services and who owns them (Unity Gateway's pages). */
const PAGE = 'AI Gateway > MCPs in the workspace shows the service.';

const STEPS: Record<RefusalKind, (place: RefusedPlace) => string> = {
  'tool-selection': ({ ask }) =>
    `Your administrators decided this: they have selected the tools of this service, and this one is not among them. Do not try it again. ${PAGE} ${ask}`,
  // A policy can judge the result, when the tool has run.
  policy: ({ ask }) =>
    `Your administrators decided this, with a policy on this service. Do not try it again, or another way: it may have run. ${PAGE} ${ask}`,
  approval: ({ ask }) =>
    `Your administrators decided that a person approves this first. Causeway cannot ask for that. Do not try it again before it is approved. ${PAGE} ${ask}`,
  'network-policy': ({ ask }) =>
    `Your administrators decided this, with the network policy of the workspace. Nothing on this computer changes it. ${ask}`,
  budget: ({ ask }) => `Your administrators decided this, with a budget that is used up. Do not try it again. ${ask}`,
  'user-rate-limit': () =>
    'Your administrators have limited how often each user may call this service. Wait a minute and try again, or ask them for a higher limit.',
  'service-rate-limit': () =>
    'Your administrators have limited how often all users together may call this service. Wait a minute and try again, or ask them for a higher limit.',
  'rate-limit': () => REMEDIES.rate_limited,
  suspended: ({ path }) => withoutPreview(path),
  missing: () =>
    'Check the name. A service looks missing to users without EXECUTE on it, or without USE CATALOG and USE SCHEMA on its parents: ask its owner for these.',
};

/** What to do about a refusal. */
export function refusalStep(refusal: RefusalKind, place: RefusedPlace): string {
  return STEPS[refusal](place);
}

/** What to do without a service whose preview is off. */
function withoutPreview(path: string): string {
  const ask = 'Ask an account admin to switch on the preview "Enhanced Unity Gateway".';
  return isSqlServer(path) ? sentences(`The server "sql" at ${pathOfRow('sql')} works without it.`, ask) : ask;
}
