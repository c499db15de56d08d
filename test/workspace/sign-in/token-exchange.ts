import { type KeyObject, verify } from 'node:crypto';
import { errors, type Provider } from 'oidc-provider';
import type { Entra } from './entra.ts';

/** Which tokens of other issuers a service principal may trade for one of this workspace's. */
export interface FederationPolicy {
  issuer: string;
  subject: string;
  audiences: string[];
  /** With which the issuer signs, ES256. */
  publicKey: KeyObject;
}

export const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const JWT = 'urn:ietf:params:oauth:token-type:jwt';

/** The client of an exchange that names none: a federation policy of the account, not of one service principal. */
export const ACCOUNT_CLIENT = 'account-federation';

/**
 * Adds the token exchange (RFC 8693) by which machines sign in without a secret, and by which a user's token of Entra
 * ID becomes one of the workspace. Policies are read at each request.
 */
export function addTokenExchange(provider: Provider, policies: () => readonly FederationPolicy[], entra: Entra): void {
  provider.registerGrantType(
    TOKEN_EXCHANGE,
    async (ctx) => {
      const { client, params } = ctx.oidc;
      if (params?.subject_token_type !== JWT) throw new errors.InvalidRequest('subject_token_type is not supported');
      if (!client) throw new errors.InvalidClient('there is no client');
      const subject = String(params.subject_token ?? '');
      const scope = String(params.scope ?? 'all-apis');
      const person = entra.federated ? entra.userOf(subject) : undefined;
      if (!person) checkSubject(subject, policies());
      const token = person
        ? await personalToken(provider, client, person.id, scope)
        : new provider.ClientCredentials({ client, scope });
      const value = await token.save();
      ctx.body = { access_token: value, expires_in: token.expiration, token_type: token.tokenType };
    },
    ['subject_token', 'subject_token_type', 'scope'],
  );
}

type Client = NonNullable<Awaited<ReturnType<Provider['Client']['find']>>>;

async function personalToken(provider: Provider, client: Client, accountId: string, scope: string) {
  const grant = new provider.Grant({ accountId, clientId: client.clientId });
  grant.addOIDCScope(scope);
  return new provider.AccessToken({ client, accountId, scope, grantId: await grant.save(), gty: TOKEN_EXCHANGE });
}

function checkSubject(subjectToken: string, policies: readonly FederationPolicy[]): void {
  const [head = '', payload = '', signature = ''] = subjectToken.split('.');
  const signed = Buffer.from(`${head}.${payload}`);
  const trusted = policies.filter(({ publicKey }) =>
    verify('sha256', signed, { key: publicKey, dsaEncoding: 'ieee-p1363' }, Buffer.from(signature, 'base64url')),
  );
  if (trusted.length === 0) throw refusal('No federation policy trusts the issuer of the token.');
  const { iss, sub, aud, exp } = JSON.parse(Buffer.from(payload, 'base64url').toString());
  const meant = trusted.filter(({ issuer, subject }) => issuer === iss && subject === sub);
  if (meant.length === 0) throw refusal('No federation policy matches the issuer and the subject of the token.');
  if (!meant.some(({ audiences }) => audiences.includes(aud))) throw refusal('The token is for another audience.');
  if (exp * 1000 < Date.now()) throw refusal('The token has expired.');
}

function refusal(description: string): Error {
  return Object.assign(new errors.InvalidGrant(description), { error_description: description });
}
