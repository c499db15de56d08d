import type { ServerResponse } from 'node:http';
import type { Effect } from './faults.ts';
import { errorBody, sendJson } from './http.ts';

/** The answers that faults give instead of the true one. */

export interface FaultSituation {
  workspaceId: string;
  host: string;
  /** The challenge of a 401, where the path has one. */
  challenge: string | undefined;
}

let pages = 0;

/** Answers if the effect is its own answer; false if the request is to be handled after all. */
export function answerFault(response: ServerResponse, effect: Effect, situation: FaultSituation): boolean {
  switch (effect.kind) {
    case 'refuse-token':
      sendUnauthorized(response, 'Invalid access token.', situation.challenge);
      return true;
    case 'block-ip':
      sendJson(response, 403, {
        error_code: '403',
        message: `Source IP address: 203.0.113.7 is blocked by Databricks IP ACL for workspace: ${situation.workspaceId}`,
      });
      return true;
    case 'missing-scope':
      sendJson(
        response,
        403,
        errorBody('PERMISSION_DENIED', `Provided OAuth token does not have required scopes: ${effect.scope}`),
      );
      return true;
    case 'rate-limit':
      sendJson(
        response,
        429,
        errorBody('REQUEST_LIMIT_EXCEEDED', 'The request rate limit of this workspace was exceeded.'),
        retryAfter(effect),
      );
      return true;
    case 'unavailable':
      sendJson(
        response,
        503,
        errorBody('TEMPORARILY_UNAVAILABLE', 'The service is temporarily unavailable.'),
        retryAfter(effect),
      );
      return true;
    case 'html':
      sendHtml(response, effect.status ?? 502, gatewayPage(effect.status ?? 502));
      return true;
    case 'redirect':
      response.writeHead(effect.status ?? 302, {
        location: effect.location ?? `${situation.host}/login.html?error=private-link-validation-error`,
      });
      response.end();
      return true;
    case 'next-page':
      pages += 1;
      sendJson(response, 200, { next_page_token: effect.token ?? `page-${pages}` });
      return true;
    case 'answer':
      response.writeHead(effect.status, effect.headers ?? {});
      response.end(effect.body ?? '');
      return true;
    case 'drop':
      if (effect.when !== 'unhandled') return false;
      response.socket?.destroy();
      return true;
    default:
      return false;
  }
}

/** 401: without `challenge` as the REST API gives it, with it as the MCP servers do (RFC 9728 §5.1). */
export function sendUnauthorized(response: ServerResponse, message: string, challenge: string | undefined): void {
  sendJson(response, 401, errorBody(401, message), challenge ? { 'www-authenticate': challenge } : {});
}

export function sendHtml(response: ServerResponse, status: number, html: string): void {
  response.writeHead(status, { 'content-type': 'text/html; charset=utf-8' });
  response.end(html);
}

function retryAfter(effect: { retryAfter?: string | undefined }): Record<string, string> {
  return effect.retryAfter === undefined ? {} : { 'retry-after': effect.retryAfter };
}

function gatewayPage(status: number): string {
  return `<!doctype html><html lang="en"><head><title>${status} Bad Gateway</title></head><body><h1>${status} Bad Gateway</h1><pre>upstream connect error or disconnect/reset before headers</pre></body></html>`;
}
