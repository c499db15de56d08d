import type { RefusalKind } from '../../preload/contract/refusals.ts';

/** An answer that is not what was asked for. */
export interface RefusedAnswer {
  /** The HTTP status; undefined if none is known. */
  status?: number | undefined;
  /** The code of a JSON-RPC error; undefined for an answer in another form. */
  rpcCode?: number | undefined;
  /** The workspace's own word, such as `RESOURCE_DOES_NOT_EXIST`. */
  errorCode?: string | undefined;
  /** What it says. */
  words: string;
  /** Whether it comes from a service of the gateway (`serviceOf`): the gateway's rules apply nowhere else. */
  isService: boolean;
}

/**
 * How the gateway refuses a call that its rules forbid, whatever they are: a policy, the selection of tools, a person's approval.
 * Only the message says which.
 */
export const FORBIDDEN_BY_RULE = -32003;

/** How a policy's reason, which administrators write, says that a person has to approve the call. */
const WANTS_APPROVAL =
  /\b(needs?|requires?|required|awaits|awaiting|pending|without|wait(s|ing)? for|ask(s|ing)? for|human|manual|manager'?s?) (?:\S+ ){0,4}approval\b|\bapproval (?:\S+ ){0,3}(required|needed|pending|missing)\b|\b(must|has to|have to) (first )?be approved\b/i;

const LIMIT = /\buser defined rate limit/i;
/** What a limit that administrators have set is for. */
const FOR_USER = /\blimit exceeded for user\b/i;
const FOR_ALL = /\blimit exceeded for endpoint\b/i;
const BUDGET =
  /\bspend(ing)? (budget|limit)\b|\bbudget (?:\S+ ){0,6}(exceeded|crossed|exceeds|exhausted|reached|used up)\b/i;
const IS_MISSING = /^(?!ENDPOINT_NOT_FOUND$)\w*(NOT_FOUND|DOES_NOT_EXIST)$/;
const SAYS_MISSING = /^(?!.*\bsession\b).*\b(does not exist|not found)\b/is;

type Rule = [RefusalKind, (answer: RefusedAnswer) => boolean];

/** In their order: the first one that fits. */
const RULES: readonly Rule[] = [
  ['tool-selection', ({ words }) => /\btool not allowed by mcp service configuration\b/i.test(words)],
  ['approval', ({ words, ...answer }) => isByRule(answer) && WANTS_APPROVAL.test(words)],
  [
    'policy',
    ({ words, ...answer }) => isByRule(answer) || /\bnot permitted by a policy on this service\b/i.test(words),
  ],
  ['network-policy', ({ words }) => /\bbecause of serverless network policy\b/i.test(words)],
  ['suspended', ({ words }) => /\badministratively suspended\b/i.test(words)],
  ['user-rate-limit', ({ words }) => LIMIT.test(words) && FOR_USER.test(words)],
  ['service-rate-limit', ({ words }) => LIMIT.test(words) && FOR_ALL.test(words)],
  ['rate-limit', ({ status, words }) => status === 429 || LIMIT.test(words)],
  ['budget', ({ status, isService, words }) => (status === 403 || isService) && BUDGET.test(words)],
  ['missing', ({ status, isService, ...said }) => status === 404 && isService && saysMissing(said)],
];

/**
 * Who refuses, as far as the answer shows it: the wordings that are known, and at the gateway its own error code. Undefined for any
 * other answer.
 */
export function refusalIn(answer: RefusedAnswer): RefusalKind | undefined {
  return RULES.find(([, fits]) => fits(answer))?.[0];
}

function isByRule({ rpcCode, isService }: Pick<RefusedAnswer, 'rpcCode' | 'isService'>): boolean {
  return rpcCode === FORBIDDEN_BY_RULE && isService;
}

/** Of a JSON-RPC error only the message tells: a lost session has the same status. */
function saysMissing({
  rpcCode,
  errorCode = '',
  words,
}: Pick<RefusedAnswer, 'rpcCode' | 'errorCode' | 'words'>): boolean {
  return rpcCode === undefined ? IS_MISSING.test(errorCode) : SAYS_MISSING.test(words);
}
