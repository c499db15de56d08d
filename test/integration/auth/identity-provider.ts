import { generateKeyPairSync, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FederationPolicy } from '../../workspace/sign-in/token-exchange.ts';

/** An issuer of ID tokens for machines, as GitHub Actions and Kubernetes have one. */
export interface IdentityProvider {
  issuer: string;
  /** A signed token; the claims are added to issuer and end. */
  idToken(claims: { sub: string; aud: string; exp?: number }): string;
  policy(subject: string, audience: string): FederationPolicy;
}

export function identityProvider(issuer = 'https://token.actions.githubusercontent.com'): IdentityProvider {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return {
    issuer,
    idToken(claims) {
      const exp = Math.floor(Date.now() / 1000) + 300;
      const signed = `${encode({ alg: 'ES256', typ: 'JWT' })}.${encode({ iss: issuer, exp, ...claims })}`;
      const signature = sign('sha256', Buffer.from(signed), { key: privateKey, dsaEncoding: 'ieee-p1363' });
      return `${signed}.${signature.toString('base64url')}`;
    },
    policy: (subject, audience) => ({ issuer, subject, audiences: [audience], publicKey }),
  };
}

/** The address at which a job of GitHub Actions gets its ID tokens. */
export interface GitHubJob {
  variables: { ACTIONS_ID_TOKEN_REQUEST_URL: string; ACTIONS_ID_TOKEN_REQUEST_TOKEN: string };
  /** The audiences that were asked for. */
  asked: string[];
  close(): Promise<void>;
}

const REQUEST_TOKEN = 'hush-request-token-of-the-job';

/** @param status other than 200: what it answers with, repeating the bearer as a hostile gateway might */
export async function startGitHubJob(provider: IdentityProvider, sub: string, status = 200): Promise<GitHubJob> {
  const asked: string[] = [];
  const server: Server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost');
    const aud = url.searchParams.get('audience') ?? '';
    asked.push(aud);
    const isOurs = request.headers.authorization === `Bearer ${REQUEST_TOKEN}` && url.searchParams.get('api') === '2.0';
    response.setHeader('content-type', 'application/json');
    if (!isOurs || status !== 200) {
      response.writeHead(isOurs ? status : 401).end(`{"message":"refused ${request.headers.authorization}"}`);
      return;
    }
    response.end(JSON.stringify({ count: 1, value: provider.idToken({ sub, aud }) }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    variables: {
      ACTIONS_ID_TOKEN_REQUEST_URL: `http://127.0.0.1:${port}/token?api=2.0`,
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: REQUEST_TOKEN,
    },
    asked,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
