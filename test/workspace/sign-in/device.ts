import type { IncomingMessage, ServerResponse } from 'node:http';
import { readText } from '../http.ts';
import { type Approval, sendFormPage, sendMessagePage } from './page.ts';

/** The sign-in with a code on another device (RFC 8628), as far as both issuers share it. */

/** Below the issuer's own path; `device/verification` is where the workspace has its page. */
export const DEVICE_PATHS = { authorization: '/v1/device/auth', verification: '/device/verification' } as const;
export const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';
/** How often clients are to ask, in seconds: tests do not wait for the usual five. */
export const DEVICE_INTERVAL_S = 0.05;

/** What a user decides about a code. */
export type DeviceDecision = 'deny' | { as: string };

/**
 * The page on which a user types a code. Somebody is chosen as for any sign-in; `decide` gives whether the code is known.
 */
export async function answerDevicePage(
  request: IncomingMessage,
  response: ServerResponse,
  approval: () => Approval,
  decide: (code: string, decision: DeviceDecision) => Promise<boolean>,
): Promise<void> {
  if (request.method !== 'POST') {
    const field = '<label>Code <input name="user_code" autocomplete="off" required></label>';
    return sendFormPage(response, 'Enter the code of your device', `${field}<button class="primary">Continue</button>`);
  }
  const code = new URLSearchParams(await readText(request)).get('user_code') ?? '';
  const approved = approval();
  const decision = approved === 'ask' ? 'deny' : approved;
  const isKnown = await decide(code.replaceAll(/[^a-z\d]/gi, '').toUpperCase(), decision);
  if (!isKnown) return sendMessagePage(response, 400, 'Sign-in failed', `There is no code ${code}.`);
  sendMessagePage(response, 200, 'Done', 'You can go back to your device.');
}
