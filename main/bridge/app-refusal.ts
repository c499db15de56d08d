import { maySignIn } from '../auth/auth.ts';
import { CausewayError } from '../platform/errors.ts';
import { foreignText, type SentSecrets } from '../platform/foreign-text.ts';
import type { AppAccess } from '../workspace/app-access.ts';
import { readErrorBody } from '../workspace/errors.ts';
import { redirectTarget } from './app-exchange.ts';
import { explainFailure, refusalDetail, type UpstreamFailure } from './errors.ts';
import { header, mediaType } from './http-exchange.ts';

/**
 * What a Databricks App's failure means. A redirect or a page means that it is stopped, or that the user has no access. The
 * workspace is asked which.
 */
export async function explainAppFailure(
  app: AppAccess,
  failure: UpstreamFailure,
  method: string,
  sent: SentSecrets,
): Promise<CausewayError> {
  if (failure.kind === 'refused') {
    const changed = await app.check().then(
      () => undefined,
      (error: unknown) => error,
    );
    if (changed instanceof CausewayError) return changed;
    const explained = explainRefusal(app, failure, sent);
    if (explained) return explained;
  }
  const { profile, path } = app;
  const host = hostOf(app);
  return explainFailure(failure, { host, path, profile: profile.name, by: profile.method, sent }, method);
}

/** For an app that is running according to the workspace. */
function explainRefusal(
  app: AppAccess,
  { head, text }: Extract<UpstreamFailure, { kind: 'refused' }>,
  sent: SentSecrets,
): CausewayError | undefined {
  const { name, profile } = app;
  const { status } = head;
  if (status >= 300 && status < 400) return explainRedirect(app, { head, text }, sent);
  const isPage = mediaType(head) === 'text/html' || text.trimStart().startsWith('<');
  const body = readErrorBody({ status, text: isPage ? '' : text, header: (one) => header(head, one) }, sent);
  const detail = refusalDetail(status, body);
  if (status === 401) return notSignedIn(app, detail);
  if (status === 403) {
    return new CausewayError(
      'permission_denied',
      `App "${name}" refuses the user of profile "${profile.name}" (${detail}).`,
      { remedy: "Ask the app's owner for CAN_USE on it." },
    );
  }
  if (status !== 404 && status !== 405 && (status >= 300 || !isPage)) return undefined;
  const what = status < 300 ? 'a web page' : detail;
  return new CausewayError(
    'feature_unavailable',
    `App "${name}" has no MCP server at ${app.path}: it returned ${what}.`,
    {
      remedy:
        'Not every app is an MCP server. Ask its owner for the path, then run: causeway servers add --path /apps/NAME/PATH.',
    },
  );
}

function explainRedirect(
  app: AppAccess,
  { head, text }: Pick<Extract<UpstreamFailure, { kind: 'refused' }>, 'head' | 'text'>,
  sent: SentSecrets,
): CausewayError {
  const target = redirectTarget({ kind: 'refused', head, text }, { origin: app.origin, path: app.path });
  if (target?.origin === app.profile.host) return notSignedIn(app, `${head.status}, to the sign-in page`);
  const where = target ? foreignText(target.host || target.protocol, { sent, maxLength: 200 }) : 'nowhere';
  const message = `App "${app.name}" redirects to ${where} (${head.status}). No token is sent there.`;
  return new CausewayError('unexpected_answer', message, { remedy: "Ask the app's owner where its MCP server is." });
}

function notSignedIn({ name, profile }: AppAccess, detail: string): CausewayError {
  const message = `App "${name}" does not accept the sign-in of profile "${profile.name}" (${detail}).`;
  return new CausewayError(
    'unauthenticated',
    message,
    maySignIn(profile)
      ? { action: { do: 'sign-in', profile: profile.name } }
      : { remedy: `Check the credentials of profile "${profile.name}", and whether it may use the app.` },
  );
}

function hostOf(app: AppAccess): string {
  try {
    return new URL(app.origin).host;
  } catch {
    return `app "${app.name}"`;
  }
}
