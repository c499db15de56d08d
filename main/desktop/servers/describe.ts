import { endsByProfile } from '../../../preload/contract/error-facts.ts';
import { REFUSAL_FACTS } from '../../../preload/contract/refusals.ts';
import { type ServerType, serverAt } from '../../../preload/contract/server-kinds.ts';
import type { ConfiguredServer } from '../../../preload/contract.ts';
import type { ManagedServer } from '../../clients/servers.ts';
import { formatHealth, type HealthAction } from '../../hub/health/format.ts';
import type { ServerHealth } from '../../hub/health/health.ts';
import { asSentence, type CausewayError, sentences } from '../../platform/errors.ts';
import { serviceOf, serviceTitle } from '../../workspace/service-name.ts';
import { remedyInWindow } from '../failure.ts';
import { strings } from './strings.ts';

/** What is known about a server apart from its place in the list. */
export interface Described {
  health: ServerHealth;
  /** Of a Genie space whose entry has none. */
  title?: string | undefined;
  /** Whether its profile holds credentials of its own, so that there is nothing to sign in to. */
  hasCredentials?: boolean;
  /** Milliseconds since the epoch. */
  now: number;
}

/** A configured server with its health, as tray and window show it. */
export function describeConfiguredServer(server: ManagedServer, described: Described): ConfiguredServer {
  const { name, profile, kind, path } = server;
  const { health, title } = described;
  const { label, sentence, remedy, action } = formatHealth(health, { ...described, profile });
  const service = serviceOf(path);
  const { type, successor } = serverAt(path);
  return {
    name,
    profile,
    kind,
    path,
    type,
    title: TITLES[type]?.({ ...server, title: title ?? server.title }) || name,
    successor: successor ? serviceTitle(successor.add) : null,
    ...(service === undefined ? {} : { service: serviceTitle(service) }),
    state: {
      status: health.name,
      tools: health.name === 'ready' ? health.tools : null,
      label,
      // The window counts down to the next attempt itself.
      words: 'problem' in health ? asSentence(health.problem.message) : sentence,
      remedy: 'problem' in health ? remedyHere(health.problem, action) : remedy,
      ...(isDecided(health) && { isDecided: true as const }),
      retryAt: 'until' in health ? health.until : null,
      action,
    },
  };
}

/** Whether administrators have decided that the server is refused. */
function isDecided(health: ServerHealth): boolean {
  const refusal = 'problem' in health ? health.problem.refusal : undefined;
  return refusal !== undefined && REFUSAL_FACTS[refusal].isDecided;
}

type Title = (server: ManagedServer) => string | undefined;

const titleOfParts: Title = ({ path }) => serverAt(path).names.join('.');
const titleOfService: Title = ({ path }) => {
  const service = serviceOf(path);
  return service === undefined ? undefined : serviceTitle(service);
};

/** What people know a server by, if that is not its name. */
const TITLES: Partial<Record<ServerType, Title>> = {
  genie: (server) => server.title ?? titleOfService(server),
  functions: titleOfParts,
  search: titleOfParts,
  connection: titleOfParts,
  service: titleOfService,
  app: ({ path }) => serverAt(path).names[0],
};

/** The buttons beside which the remedy would say the same again. */
const IN_WORDS_OF_THEIR_OWN: Partial<Record<HealthAction, string>> = {
  'sign-in-to-service': strings.signIn,
  'confirm-app': strings.confirmApp,
  'start-app': strings.startApp,
};

/** The remedy, shown beside the button that carries it out. */
function remedyHere(problem: CausewayError, button: HealthAction | null): string | null {
  const { code, remedy, action } = problem;
  const own = button === null ? undefined : IN_WORDS_OF_THEIR_OWN[button];
  if (own !== undefined) return sentences(remedy, own);
  if (button === 'sign-in' && (!action || action.do === 'sign-in')) return sentences(remedy, strings.signIn);
  return endsByProfile(code) ? strings.accounts : remedyInWindow(problem);
}
