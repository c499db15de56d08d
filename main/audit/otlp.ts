import { Agent } from 'node:http';
import { Agent as SecureAgent } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { SeverityNumber } from '@opentelemetry/api-logs';
import { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-http';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchLogRecordProcessor, LoggerProvider } from '@opentelemetry/sdk-logs';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { VERSION } from '../platform/version.ts';
import { inOneLine } from '../words/failure.ts';
import type { AuditedCall } from './audited-call.ts';

/** How often what has gathered is sent, in milliseconds. */
const EXPORT_MS = 10_000;
/** How long a collector may take for one request, in milliseconds. */
const TIMEOUT_MS = 5_000;
/** How long a response can continue before it counts as endless, in milliseconds. Silence alone times out earlier. */
const GIVE_UP_MS = TIMEOUT_MS + 500;
/** How long the last requests may take, with all their attempts, in milliseconds. */
const CLOSE_MS = 6_000;

/** Calls as OpenTelemetry's metrics and logs, on their way to a collector. */
export interface OtlpAudit {
  add(call: AuditedCall): void;
  /** Sends what has gathered, and ends. Never rejects, and does not wait for a collector that never ends its answer. */
  close(): Promise<void>;
}

/** Called after each request to the collector: undefined if it accepted the data, else why not. */
export type OnSent = (failure: string | undefined) => void;

/** @param address the collector's, without `/v1/…` (OTLP › OTLP/HTTP) */
export function openOtlp(address: string, onSent: OnSent): OtlpAudit {
  const base = address.replace(/\/+$/, '');
  const agent = new (new URL(base).protocol === 'https:' ? SecureAgent : Agent)({ keepAlive: true });
  const to = (path: string) => ({ url: `${base}${path}`, timeoutMillis: TIMEOUT_MS, httpAgentOptions: () => agent });
  const resource = resourceFromAttributes({ 'service.name': 'causeway', 'service.version': VERSION });
  const meters = new MeterProvider({
    resource,
    readers: [
      new PeriodicExportingMetricReader({
        exporter: observed(new OTLPMetricExporter(to('/v1/metrics')), onSent),
        exportIntervalMillis: EXPORT_MS,
        exportTimeoutMillis: TIMEOUT_MS,
      }),
    ],
  });
  const loggers = new LoggerProvider({
    resource,
    processors: [
      new BatchLogRecordProcessor({
        exporter: observed(new OTLPLogExporter(to('/v1/logs')), onSent),
        scheduledDelayMillis: EXPORT_MS,
        exportTimeoutMillis: TIMEOUT_MS,
      }),
    ],
  });
  const meter = meters.getMeter('causeway', VERSION);
  // OpenTelemetry › Semantic conventions for MCP: Causeway is the client of the workspace's servers.
  const duration = meter.createHistogram('mcp.client.operation.duration', { unit: 's' });
  const logger = loggers.getLogger('causeway', VERSION);
  return {
    add(call) {
      const attributes = attributesOf(call);
      duration.record(call.durationMs / 1000, attributes);
      logger.emit({
        eventName: 'causeway.call',
        timestamp: new Date(call.at),
        severityNumber: call.outcome === 'answered' ? SeverityNumber.INFO : SeverityNumber.WARN,
        body: `${call.method} ${call.tool ?? ''}: ${call.outcome}`,
        attributes: { ...attributes, 'causeway.duration_ms': call.durationMs },
      });
    },
    async close() {
      const ended = Promise.allSettled([meters.shutdown(), loggers.shutdown()]);
      await Promise.race([ended, sleep(CLOSE_MS, undefined, { ref: false })]);
      agent.destroy();
    },
  };
}

/** `ExportResult` of OpenTelemetry's specification, and its code if the collector accepted everything. */
interface ExportResult {
  code: number;
  error?: Error | undefined;
}
const SUCCESS = 0;

interface Exporter<Items> {
  export(items: Items, done: (result: ExportResult) => void): void;
}

/** The SDK keeps to itself what an export comes to. */
function observed<Items, Kind extends Exporter<Items>>(exporter: Kind & Exporter<Items>, onSent: OnSent): Kind {
  const send = exporter.export.bind(exporter);
  exporter.export = (items, done) => {
    const tell = setTimeout(() => onSent('it does not end its answer'), GIVE_UP_MS).unref();
    send(items, (result) => {
      clearTimeout(tell);
      onSent(result.code === SUCCESS ? undefined : reasonOf(result.error));
      done(result);
    });
  };
  return exporter;
}

function reasonOf(error: Error | undefined): string {
  const status = error && 'code' in error && typeof error.code === 'number' ? `status ${error.code}` : undefined;
  return status ?? inOneLine(error);
}

function attributesOf(call: AuditedCall): Record<string, string> {
  const { client, profile, server, method, tool, outcome, errorCode } = call;
  return {
    'mcp.method.name': method,
    'causeway.server': server,
    'causeway.outcome': outcome,
    ...(client === null ? {} : { 'causeway.client': client }),
    ...(profile === null ? {} : { 'causeway.profile': profile }),
    ...(tool === null ? {} : { 'gen_ai.tool.name': tool }),
    ...(outcome === 'answered' ? {} : { 'error.type': errorCode === null ? outcome : String(errorCode) }),
  };
}
