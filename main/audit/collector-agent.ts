import { Agent } from 'node:http';
import { Agent as SecureAgent } from 'node:https';
import { readBoundedSync } from '../platform/bounded-file.ts';
import { CausewayError } from '../platform/errors.ts';
import { certificateAuthorities } from '../platform/http.ts';

/** A collector of OpenTelemetry, and how it is reached. */
export interface Collector {
  /** Without `/v1/…` (OTLP › OTLP/HTTP). */
  address: string;
  /** Go out with each request, before those of the environment. They may be secrets. */
  headers?: Record<string, string> | undefined;
  /** Certificates that are trusted besides the system's: in PEM, or the path of such a file. */
  certificate?: string | undefined;
  compression?: 'gzip' | 'none' | undefined;
}

/**
 * What makes the connections to a collector. `OTEL_EXPORTER_OTLP_CERTIFICATE`, `OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE` and
 * `OTEL_EXPORTER_OTLP_CLIENT_KEY` name PEM files (OpenTelemetry › OTLP exporter configuration).
 * @throws {CausewayError} `invalid_file`
 */
export async function collectorAgent(
  { address, certificate }: Pick<Collector, 'address' | 'certificate'>,
  env: NodeJS.ProcessEnv,
): Promise<Agent> {
  if (new URL(address).protocol !== 'https:') return new Agent({ keepAlive: true });
  const named = (variable: string) => {
    const file = env[variable];
    return file ? readPem(file, variable) : undefined;
  };
  const authority = certificate === undefined ? named('OTEL_EXPORTER_OTLP_CERTIFICATE') : pemOf(certificate);
  const ca = await certificateAuthorities(env, authority === undefined ? [] : [authority]);
  const cert = named('OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE');
  const key = named('OTEL_EXPORTER_OTLP_CLIENT_KEY');
  return new SecureAgent({ keepAlive: true, ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) });
}

function pemOf(certificate: string): string {
  return certificate.startsWith('-----BEGIN ') ? certificate : readPem(certificate, 'otlpCertificate');
}

function readPem(file: string, named: string): string {
  try {
    return readBoundedSync(file, 'given').toString('utf8');
  } catch (cause) {
    throw new CausewayError('invalid_file', `The file ${file} of the collector's connection cannot be read.`, {
      cause,
      remedy: `Correct ${named}.`,
    });
  }
}
