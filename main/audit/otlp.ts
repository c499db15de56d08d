import { SeverityNumber } from '@opentelemetry/api-logs';
import { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-http';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchLogRecordProcessor, LoggerProvider } from '@opentelemetry/sdk-logs';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { VERSION } from '../platform/version.ts';
import type { AuditedCall } from './audited-call.ts';

/** How often what has gathered is sent, in milliseconds. */
const EXPORT_MS = 10_000;
/** How long a collector may take for one request, in milliseconds. */
const TIMEOUT_MS = 5_000;

/** Calls as OpenTelemetry's metrics and logs, on their way to a collector. */
export interface OtlpAudit {
  add(call: AuditedCall): void;
  /** Sends what has gathered, and ends. Never rejects. */
  close(): Promise<void>;
}

/** @param address the collector's, without `/v1/…` (OTLP › OTLP/HTTP) */
export function openOtlp(address: string): OtlpAudit {
  const base = address.replace(/\/+$/, '');
  const resource = resourceFromAttributes({ 'service.name': 'causeway', 'service.version': VERSION });
  const meters = new MeterProvider({
    resource,
    readers: [
      new PeriodicExportingMetricReader({
        exporter: new OTLPMetricExporter({ url: `${base}/v1/metrics`, timeoutMillis: TIMEOUT_MS }),
        exportIntervalMillis: EXPORT_MS,
        exportTimeoutMillis: TIMEOUT_MS,
      }),
    ],
  });
  const loggers = new LoggerProvider({
    resource,
    processors: [
      new BatchLogRecordProcessor({
        exporter: new OTLPLogExporter({ url: `${base}/v1/logs`, timeoutMillis: TIMEOUT_MS }),
        scheduledDelayMillis: EXPORT_MS,
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
      await Promise.allSettled([meters.shutdown(), loggers.shutdown()]);
    },
  };
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
