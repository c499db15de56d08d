import { z } from 'zod';
import { account as accountInfo } from '../../../preload/contract/accounts.ts';
import { failure } from './failure.ts';
import { named } from './named.ts';

const account = named(
  'account',
  'A profile of the Databricks configuration file, and its sign-in.',
  z.object({
    profile: z.string(),
    host: z.string().nullable(),
    method: accountInfo.shape.method,
    state: z.enum([
      'ready',
      'signed-in',
      'signed-out',
      'refused',
      'no-access',
      'unreachable',
      'failed',
      'not-checked',
      'unusable',
    ]),
    userName: z.string().nullable(),
    expiresAt: z.string().nullable(),
  }),
  {
    profile: 'The name of the profile.',
    host: "The workspace's address; null if the profile names none.",
    method: 'How it signs in.',
    state:
      '`ready`: its own credentials work. `signed-in`: through the browser. `refused`: its token does not work. `no-access`: no user of the workspace. `not-checked`: with `--skip-validate`. `unusable`: it lacks something.',
    userName: 'As whom; null if that is not known.',
    expiresAt: 'When the sign-in ends.',
  },
);

export const profiles = z.object({
  profiles: z.array(account.extend({ isDefault: z.boolean(), error: failure.nullable() })),
});

export const whoami = account.extend({
  displayName: z.string().nullable(),
  isServicePrincipal: z.boolean().nullable(),
  error: failure.nullable(),
});

export const login = account.extend({ scopes: z.array(z.string()) });

export const logout = account.extend({ wasSignedIn: z.boolean(), revoked: z.boolean() });
