import type { ServerResponse } from 'node:http';
import { sendHtml } from '../fault-answers.ts';
import type { App } from '../model.ts';

/** What the edge in front of an app answers in the app's place. */

export function sendToLogin(response: ServerResponse, host: string, origin: string, app: App): void {
  const query = new URLSearchParams({
    client_id: `app-${app.name}`,
    response_type: 'code',
    redirect_uri: `${origin}/.auth/callback`,
    scope: 'openid profile email',
  });
  response.writeHead(302, { location: `${host}/oidc/v1/authorize?${query}` }).end();
}

export function sendNoPermission(response: ServerResponse, { name }: App): void {
  sendHtml(response, 403, page('You do not have permission', `Ask the owner of ${name} for CAN_USE.`));
}

export function sendNotRunning(response: ServerResponse, status: number, { name }: App): void {
  sendHtml(response, status, page('App not available', `The app ${name} is not running.`));
}

export function sendAppPage(response: ServerResponse, { name, description }: App): void {
  sendHtml(response, 200, page(name, description));
}

function page(title: string, text: string): string {
  return `<!doctype html><html lang="en"><head><title>${title}</title></head><body><h1>${title}</h1><p>${text}</p></body></html>`;
}
