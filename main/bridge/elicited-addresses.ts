import { CausewayError } from '../platform/errors.ts';
import { OMITTED } from './outline.ts';

/** The error with which a server says that addresses have to be opened first (MCP 2025-11-25 › URL Elicitation Required Error). */
const URL_REQUIRED = -32042;

/** Said of one that stands among more than is ever read of a frame. */
const UNCHECKED = 'too long to be checked';

/**
 * What is wrong with an address that a frame of the server's wants a person to open; undefined where nothing is. The
 * client opens it in a browser or through the system: `https` only, and `http` on this computer. Servers ask in three ways:
 * with a request, with an error, and in a result of the stateless revision.
 */
export function unsafeAddress(json: unknown): string | undefined {
  const { method, error, result } = Object(json);
  if (method !== undefined) return unsafeIn(Object(json));
  if (Object(error).code === URL_REQUIRED) {
    const { data } = Object(error);
    const { elicitations } = Object(data);
    if (data === OMITTED || elicitations === OMITTED) return UNCHECKED;
    return firstOf(Array.isArray(elicitations) ? elicitations : [], (each) => faultOf(Object(each).url));
  }
  const { inputRequests } = Object(result);
  if (inputRequests === OMITTED) return UNCHECKED;
  if (typeof inputRequests !== 'object' || inputRequests === null) return undefined;
  return firstOf(Object.values(inputRequests), (request) =>
    request === OMITTED ? UNCHECKED : unsafeIn(Object(request)),
  );
}

/** Why the client was not given what the server sent. `fault` is what `unsafeAddress` says. */
export function refusedAddress(fault: string): CausewayError {
  return new CausewayError('unexpected_answer', `The server wants an address to be opened that is ${fault}.`, {
    remedy: 'Causeway passes on https addresses only. Nothing was opened; tell whoever runs the server.',
  });
}

function unsafeIn({ method, params }: { method?: unknown; params?: unknown }): string | undefined {
  if (method === OMITTED || (params === OMITTED && method === 'elicitation/create')) return UNCHECKED;
  const { mode, url } = Object(params);
  return method === 'elicitation/create' && (mode === 'url' || url !== undefined) ? faultOf(url) : undefined;
}

function faultOf(url: unknown): string | undefined {
  const address = typeof url === 'string' && URL.canParse(url) ? new URL(url) : undefined;
  if (!address) return 'no address';
  if (address.protocol === 'https:' || (address.protocol === 'http:' && isLoopback(address.hostname))) return undefined;
  return address.protocol === 'http:' ? 'not encrypted (http:)' : `not of the web (${address.protocol.slice(0, 40)})`;
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}

function firstOf(all: unknown[], faultIn: (each: unknown) => string | undefined): string | undefined {
  for (const each of all) {
    const fault = faultIn(each);
    if (fault !== undefined) return fault;
  }
  return undefined;
}
