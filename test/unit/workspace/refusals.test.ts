import { describe, expect, it } from 'vitest';
import { type RefusedAnswer, refusalIn } from '../../../main/workspace/refusals.ts';
import type { RefusalKind } from '../../../preload/contract/refusals.ts';

const LIMIT =
  "User defined rate limit(s) exceeded for 'main.support.tickets'. Requests-per-minute (RPM) rate limit exceeded for";
const NETWORK = 'Access to api.github.com is denied because of serverless network policy.';

const seen = (answer: Partial<RefusedAnswer>) => refusalIn({ words: '', isService: true, ...answer });

describe('who refuses', () => {
  it.each<[RefusalKind, Partial<RefusedAnswer>]>([
    ['tool-selection', { rpcCode: -32003, words: 'Tool not allowed by MCP service configuration.' }],
    ['policy', { rpcCode: -32003, words: 'Customer names stay in the workspace' }],
    ['policy', { rpcCode: -32003, words: '' }],
    ['policy', { rpcCode: -32003, words: 'Only tables that are approved for agents may be read.' }],
    ['policy', { rpcCode: -32003, words: 'Access denied: this request is not permitted by a policy on this service.' }],
    [
      'policy',
      {
        status: 403,
        words: 'Access denied: this request is not permitted by a policy on this service.',
        isService: false,
      },
    ],
    ['policy', { rpcCode: -32003, status: 429, words: 'The budget of team data is exceeded.' }],
    ['approval', { rpcCode: -32003, words: 'This call requires human approval.' }],
    ['approval', { rpcCode: -32003, words: 'Writes to production need the approval of a data steward.' }],
    ['approval', { rpcCode: -32003, words: 'Approval is required' }],
    ['approval', { rpcCode: -32003, words: 'Deletes must be approved by the owner.' }],
    ['network-policy', { rpcCode: -32603, words: `CUSTOMER_UNAUTHORIZED: ${NETWORK}`, isService: false }],
    ['network-policy', { status: 401, errorCode: 'CUSTOMER_UNAUTHORIZED', words: NETWORK }],
    ['suspended', { status: 400, words: 'The MCP service is administratively suspended.' }],
    ['suspended', { rpcCode: -32000, words: 'MCP service is administratively suspended' }],
    ['user-rate-limit', { status: 429, words: `${LIMIT} user` }],
    ['user-rate-limit', { rpcCode: -32000, status: 200, words: `REQUEST_LIMIT_EXCEEDED: ${LIMIT} user.` }],
    ['service-rate-limit', { status: 429, words: `${LIMIT} endpoint` }],
    ['rate-limit', { status: 429, words: LIMIT }],
    ['rate-limit', { status: 429, words: 'no explanation', isService: false }],
    ['budget', { status: 403, words: 'The spend budget of this workspace is exceeded.', isService: false }],
    ['budget', { status: 403, words: 'Budget "agents" was exceeded' }],
    ['missing', { status: 404, errorCode: 'RESOURCE_DOES_NOT_EXIST', words: "MCP service 'a.b.c' does not exist." }],
    ['missing', { status: 404, errorCode: 'MCP_SERVICE_NOT_FOUND', words: 'no' }],
    ['missing', { status: 404, rpcCode: -32000, words: "MCP service 'a.b.c' does not exist." }],
  ])('is %s: %j', (kind, answer) => {
    expect(seen(answer)).toBe(kind);
  });

  it.each<[what: string, Partial<RefusedAnswer>]>([
    [
      'the gateway’s code from another server',
      { rpcCode: -32003, words: 'Customer names stay here', isService: false },
    ],
    ['another code', { rpcCode: -32001, words: 'Customer names stay here' }],
    [
      'a lack of rights',
      { status: 403, errorCode: 'PERMISSION_DENIED', words: 'User does not have USE SCHEMA on main.a' },
    ],
    ['a tool’s error about a budget', { rpcCode: -32000, words: 'The budget report does not exist', isService: false }],
    ['a missing API', { status: 404, errorCode: 'ENDPOINT_NOT_FOUND', words: 'Endpoint not found' }],
    ['a missing record of another server', { status: 404, errorCode: 'NOT_FOUND', words: 'no', isService: false }],
    ['a page', { status: 404, words: '404 Not Found' }],
    ['a lost session', { status: 404, rpcCode: -32001, words: 'Session not found' }],
    ['a missing tool', { status: 200, rpcCode: -32602, words: "Tool 'x' not found" }],
    ['a busy workspace', { status: 503, words: 'The service is temporarily unavailable.' }],
  ])('is not known from %s', (_what, answer) => {
    expect(seen(answer)).toBeUndefined();
  });
});
