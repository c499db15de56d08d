import { z } from 'zod';
import { text } from './parts.ts';

/** A sign-in that waits for the user in the browser: to a profile's workspace, or to the service behind a server. */
const awaitedSignIn = z.union([z.object({ profile: text() }), z.object({ server: text() })]);

const serviceNamed = z.object({ server: text() });

export const signInRequests = {
  /** Shows the sign-in page in the browser once more. */
  openSignInPage: { input: awaitedSignIn, output: z.undefined() },
  /** Puts the address of the sign-in page on the clipboard. */
  copySignInLink: { input: awaitedSignIn, output: z.undefined() },
  /** The service's sign-in page that waits for the user; null if none does. */
  serviceSignInPage: {
    input: serviceNamed,
    output: z
      .object({
        host: z.string(),
        /** The user whose sign-in it is; null if that is not known. */
        user: z.string().nullable(),
        address: z.string(),
      })
      .nullable(),
  },
  /** Stops waiting for the service's page. It can still be used in the browser. */
  cancelServiceSignIn: { input: serviceNamed, output: z.undefined() },
} as const;

export type AwaitedSignIn = z.output<typeof awaitedSignIn>;
