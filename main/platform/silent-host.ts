import type { Dispatcher } from 'undici';
import { CausewayError } from './errors.ts';

/** How long a host may be silent, in milliseconds, for REST, sign-in and the bridge. */
export const SILENCE = {
  /** Before the user is notified. */
  noticeMs: 5_000,
  /** Before a host that has never answered is given up, and a request that only begins or lists. */
  limitMs: 15_000,
} as const;

/** A host that accepts connections but never answers: a wrong address, or a network that drops the requests. */
export class SilentHostError extends CausewayError {
  constructor(host: string, limitMs: number) {
    const seconds = Math.round(limitMs / 1000);
    super('unreachable', `${host} did not answer within ${seconds} seconds.`, {
      remedy: 'Likely causes: a wrong address, a DNS name of another computer, or a blocking firewall, VPN or proxy.',
    });
  }
}

export interface SilenceOptions {
  /** Called once a host has been silent for five seconds, each time that happens. */
  onSilence(host: string): void;
  noticeMs?: number;
  limitMs?: number;
}

/**
 * Watches whether a host answers at all. One that never has is given up after 15 s, however many attempts are made
 * meanwhile: without an answer it cannot be known for slow. One that has answered before gets the time that requests have.
 */
export function giveUpOnSilence(options: SilenceOptions): Dispatcher.DispatcherComposeInterceptor {
  const { onSilence, noticeMs = SILENCE.noticeMs, limitMs = SILENCE.limitMs } = options;
  const hosts = new Map<string, HostSilence>();
  return (dispatch) => (request, handler) => {
    const host = String(request.origin ?? '');
    const silence = hosts.get(host) ?? new HostSilence();
    hosts.set(host, silence);
    return dispatch(request, watched(handler, silence, { host, onSilence, noticeMs, limitMs }));
  };
}

/** How long a host has been silent while requests wait for it. */
class HostSilence {
  hasAnswered = false;
  /** When the silence began, in milliseconds since 1970: with the first request, or with the last answer. */
  since = 0;
  isNoticeSent = false;

  asked(): void {
    // Successive attempts count as one silence, because the pause between them is not an answer.
    if (this.since === 0) this.since = Date.now();
  }

  answered(): void {
    this.hasAnswered = true;
    this.since = 0;
    this.isNoticeSent = false;
  }
}

function watched(
  handler: Dispatcher.DispatchHandler,
  silence: HostSilence,
  { host, onSilence, noticeMs, limitMs }: Required<SilenceOptions> & { host: string },
): Dispatcher.DispatchHandler {
  let controller: Dispatcher.DispatchController | undefined;
  /** The caller already has its error, though the request still waits for its connection. */
  let gaveUp = false;
  silence.asked();
  const remaining = (limit: number) => Math.max(0, silence.since + limit - Date.now());
  const notice = setTimeout(() => {
    if (silence.isNoticeSent) return;
    silence.isNoticeSent = true;
    onSilence(host);
  }, remaining(noticeMs));
  const limit = silence.hasAnswered
    ? undefined
    : setTimeout(() => {
        const error = new SilentHostError(host, limitMs);
        if (controller) return controller.abort(error);
        // A pending connection cannot be aborted, but the caller need not wait for it.
        gaveUp = true;
        over();
        handler.onResponseError?.(nothingToControl(error), error);
      }, remaining(limitMs));
  const over = () => {
    clearTimeout(notice);
    clearTimeout(limit);
  };
  return {
    onRequestStart: (started, context) => {
      controller = started;
      if (gaveUp) return started.abort(new SilentHostError(host, limitMs));
      handler.onRequestStart?.(started, context);
    },
    onRequestUpgrade: (...upgrade) => handler.onRequestUpgrade?.(...upgrade),
    onResponseStart: (...head) => {
      over();
      silence.answered();
      handler.onResponseStart?.(...head);
    },
    onResponseData: (...data) => handler.onResponseData?.(...data),
    onResponseEnd: (...end) => handler.onResponseEnd?.(...end),
    // An answer can still break off after its head.
    onResponseError: (failed, error) => {
      if (gaveUp) return;
      over();
      handler.onResponseError?.(failed, error);
    },
  };
}

/** Stands for the controller of a request that was never sent. */
function nothingToControl(reason: Error): Dispatcher.DispatchController {
  const nothing = () => {};
  return { aborted: true, paused: false, reason, abort: nothing, pause: nothing, resume: nothing };
}
