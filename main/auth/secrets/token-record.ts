import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { jsonIn } from '../../platform/json.ts';
import { Secret } from '../../platform/secret.ts';
import type { AccessToken } from '../access-token.ts';

/** The result of one sign-in: a pair of tokens, and where and as whom they can be renewed and revoked. */
export interface TokenRecord {
  /** RFC 8414 issuer, the only one with which the tokens can be used. */
  issuer: string;
  clientId: string;
  tokenEndpoint: string;
  revocationEndpoint: string | undefined;
  access: AccessToken;
  refreshToken: Secret | undefined;
  /** Scopes that were granted. */
  scopes: string[];
  /** Who signed in, as the workspace names them. */
  userName: string | undefined;
  /** Names this sign-in. A renewal keeps it; undefined for one that an earlier version has stored. */
  generation?: string | undefined;
  /** How many access tokens in a row the workspace has refused soon; see `../refused-tokens.ts`. */
  refusals?: number | undefined;
}

/** A name for a new sign-in. */
export function newGeneration(): string {
  return randomBytes(12).toString('hex');
}

/** Fields are only ever added, and unknown ones are skipped, so neither an update nor a downgrade signs anyone out. */
const Stored = z.object({
  issuer: z.string(),
  client_id: z.string(),
  token_endpoint: z.string(),
  revocation_endpoint: z.string().optional(),
  access_token: z.string(),
  issued_at: z.number(),
  expires_at: z.number().optional(),
  refresh_token: z.string().optional(),
  scope: z.string().default(''),
  user_name: z.string().optional(),
  generation: z.string().optional(),
  refusals: z.number().optional(),
});

/** The record as one secret text for the store. */
export function packRecord(record: TokenRecord): Secret {
  const stored: z.input<typeof Stored> = {
    issuer: record.issuer,
    client_id: record.clientId,
    token_endpoint: record.tokenEndpoint,
    revocation_endpoint: record.revocationEndpoint,
    access_token: record.access.token.reveal(),
    issued_at: record.access.issuedAt,
    expires_at: record.access.expiresAt,
    refresh_token: record.refreshToken?.reveal(),
    scope: record.scopes.join(' '),
    user_name: record.userName,
    generation: record.generation,
    refusals: record.refusals || undefined,
  };
  return new Secret(JSON.stringify(stored));
}

/** The record in a stored text; undefined for anything else, which counts as signed out. */
export function unpackRecord(text: Secret): TokenRecord | undefined {
  const parsed = Stored.safeParse(jsonIn(text.reveal()));
  if (!parsed.success) return undefined;
  const stored = parsed.data;
  return {
    issuer: stored.issuer,
    clientId: stored.client_id,
    tokenEndpoint: stored.token_endpoint,
    revocationEndpoint: stored.revocation_endpoint,
    access: { token: new Secret(stored.access_token), issuedAt: stored.issued_at, expiresAt: stored.expires_at },
    refreshToken: stored.refresh_token === undefined ? undefined : new Secret(stored.refresh_token),
    scopes: stored.scope.split(' ').filter(Boolean),
    userName: stored.user_name,
    generation: stored.generation,
    refusals: stored.refusals,
  };
}
