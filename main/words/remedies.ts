import type { ErrorCode } from '../../preload/contract/error-facts.ts';

/** What to do about an answer of the workspace, or of what stands before it, whatever was asked. */
export const REMEDIES = {
  unauthenticated: 'Sign in again. If it keeps failing, check that the profile names the right workspace.',
  ip_blocked: 'Connect through your VPN or office network, or ask a workspace admin to allow this IP address.',
  permission_denied: 'Ask a workspace admin.',
  rate_limited: 'Wait a minute and try again.',
  unavailable: 'The workspace may be restarting. Try again in a minute.',
  login_page:
    'A captive portal or a company proxy is in between. Open the workspace in a browser, sign in to the network, and try again.',
} as const satisfies Partial<Record<ErrorCode, string>>;
