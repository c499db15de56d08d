import { z } from 'zod';
import { inProfile, list, problem, text } from './parts.ts';

/** One profile of the configuration file, and whether a user is signed in to it. */
export const account = z.object({
  name: z.string(),
  host: z.string().nullable(),
  isDefault: z.boolean(),
  method: z
    .enum([
      'pat',
      'oauth-m2m',
      'databricks-cli',
      'oauth-user',
      'azure-cli',
      'azure-client-secret',
      'github-oidc',
      'env-oidc',
      'file-oidc',
    ])
    .nullable(),
  state: z.discriminatedUnion('status', [
    z.object({
      status: z.literal('signed-in'),
      userName: z.string().nullable(),
      /** Milliseconds since the epoch. */
      expiresAt: z.number().nullable(),
      renewable: z.boolean(),
    }),
    z.object({
      status: z.literal('signed-out'),
      /** The OAuth application that the organization requires, where there is a sign-in through another one. */
      demanded: z.string().exactOptional(),
    }),
    z.object({ status: z.literal('by-credentials') }),
    z.object({ status: z.literal('by-databricks-cli') }),
    /** Why the profile cannot be used, and what to do, as sentences. */
    z.object({ status: z.literal('unusable'), message: z.string() }),
    z.object({ status: z.literal('unreadable'), problem }),
  ]),
});

/** An OAuth application that an account administrator has registered, used for one workspace. */
const oauthApplication = z.object({
  clientId: text().min(1),
  /** The one port that its redirect address names; null for any of the usual ones. */
  callbackPort: z.int().min(1).max(65_535).nullable(),
  /** Null for those that Causeway asks for by itself. */
  scopes: list(text().min(1)).nullable(),
});

export const accountRequests = {
  listAccounts: { input: z.undefined(), output: z.array(account) },
  /**
   * Signs in to a profile and leaves the open one open; where none is, opens it. Answers when that has ended, however it
   * ended: the state tells how.
   */
  signInTo: { input: inProfile, output: z.undefined() },
  /** Ends a sign-in to that profile, open or not. */
  cancelSignInTo: { input: inProfile, output: z.undefined() },
  /** Tells whether the workspace has confirmed that the sign-in is revoked. */
  signOut: { input: inProfile, output: z.object({ revoked: z.boolean() }) },
  /** The sign-in goes with it. */
  removeAccount: { input: inProfile, output: z.undefined() },
  /** The sign-in stays. */
  renameAccount: { input: inProfile.extend({ name: text() }), output: z.undefined() },
  /** Points the profile to another workspace, which is asked first. A sign-in to the one before ends. */
  changeAccountAddress: { input: inProfile.extend({ host: text() }), output: z.undefined() },
  /** Null where the built-in application is used. A secret never comes out again. */
  getOAuthApplication: { input: inProfile, output: oauthApplication.extend({ hasSecret: z.boolean() }).nullable() },
  /** Used at the next sign-in. */
  setOAuthApplication: {
    input: inProfile.extend({
      application: oauthApplication
        .extend({
          /** `keep` leaves the one that there is, `none` says that there is none. */
          secret: z.union([z.enum(['keep', 'none']), z.object({ value: text().min(1) })]),
        })
        .nullable(),
    }),
    output: z.undefined(),
  },
  /** Adds a profile that signs in in the browser. */
  addAccount: { input: inProfile.extend({ host: text() }), output: z.undefined() },
} as const;

export type Account = z.output<typeof account>;
export type OAuthApplicationState = z.output<typeof accountRequests.getOAuthApplication.output>;
export type OAuthApplicationChange = z.output<typeof accountRequests.setOAuthApplication.input>['application'];
