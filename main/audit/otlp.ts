import { setTimeout as sleep } from 'node:timers/promises';
import { type Context, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { SeverityNumber } from '@opentelemetry/api-logs';
import { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-http';
import { AggregationTemporalityPreference, OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { CompressionAlgorithm } from '@opentelemetry/otlp-exporter-base';
import { envDetector, type Resource, resourceFromAttributes } from '@opentelemetry/resources';
import { BatchLogRecordProcessor, LoggerProvider } from '@opentelemetry/sdk-logs';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { AlwaysOnSampler, BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { VERSION } from '../platform/version.ts';
import { inOneLine } from '../words/failure.ts';
import type { AuditedCall } from './audited-call.ts';
import type { AuditedEvent, AuditRecord } from './audited-event.ts';
import { type Collector, collectorAgent } from './collector-agent.ts';
import type { Origin } from './origin.ts';
import {
  type Attributes,
  attributesOf,
  BOUNDARIES_S,
  DURATION,
  detailsOf,
  factsOf,
  underscored,
} from './otlp-attributes.ts';

export type { Collector };

/** How often what has gathered is sent, in milliseconds. */
const EXPORT_MS = 10_000;
/** How long a collector may take for one request, in milliseconds. */
const TIMEOUT_MS = 5_000;
/** How long a response can continue before it counts as endless, in milliseconds. Silence alone times out earlier. */
const GIVE_UP_MS = TIMEOUT_MS + 500;
/** How long the last requests may take, with all their attempts, in milliseconds. */
const CLOSE_MS = 6_000;

/** Records as OpenTelemetry's metrics, logs and traces, on their way to a collector. */
export interface OtlpAudit {
  add(record: AuditRecord): void;
  /** Sends what has gathered, and ends. Never rejects, and does not wait for a collector that never ends its answer. */
  close(): Promise<void>;
}

export interface OtlpOptions {
  env: NodeJS.ProcessEnv;
  origin: Origin;
  /** Called after each request to the collector: undefined if it accepted the data, else why not. */
  onSent(failure: string | undefined): void;
}

/** @throws {CausewayError} `invalid_file` if a certificate cannot be read */
export async function openOtlp(collector: Collector, { env, origin, onSent }: OtlpOptions): Promise<OtlpAudit> {
  const { headers, compression } = collector;
  const base = collector.address.replace(/\/+$/, '');
  const agent = await collectorAgent(collector, env);
  const to = (path: string) => ({
    url: `${base}${path}`,
    timeoutMillis: TIMEOUT_MS,
    httpAgentOptions: () => agent,
    ...(headers && { headers }),
    ...(compression && { compression: ALGORITHMS[compression] }),
  });
  const resource = resourceOf(origin);
  const meters = new MeterProvider({
    resource,
    readers: [
      new PeriodicExportingMetricReader({
        exporter: observed(new OTLPMetricExporter({ ...to('/v1/metrics'), ...temporality(env) }), onSent),
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
  const tracers = new TracerProvider({
    resource,
    // Every call is audited: an AI client that samples its own traces does not decide that.
    sampler: new AlwaysOnSampler(),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: observed(new OTLPTraceExporter(to('/v1/traces')), unlessUnwanted(onSent)),
        scheduledDelayMillis: EXPORT_MS,
        exportTimeoutMillis: TIMEOUT_MS,
      }),
    ],
  });
  const meter = meters.getMeter('causeway', VERSION);
  // OpenTelemetry › Semantic conventions for MCP: Causeway is the client of the workspace's servers.
  const duration = meter.createHistogram(DURATION, {
    unit: 's',
    description: 'The duration of an MCP request, from when the AI client sent it until its answer.',
    advice: { explicitBucketBoundaries: BOUNDARIES_S },
  });
  const logger = loggers.getLogger('causeway', VERSION);
  const tracer = tracers.getTracer('causeway', VERSION);
  /** A span of the call, in the client's trace if it has one. */
  const addSpan = (call: AuditedCall, attributes: Attributes): Context => {
    const startTime = Date.parse(call.at);
    const name = call.tool === null ? call.method : `${call.method} ${call.tool}`;
    const parent = parentOf(call.traceparent);
    const span = tracer.startSpan(name, { kind: SpanKind.CLIENT, startTime, attributes }, parent);
    if ('error.type' in attributes) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end(startTime + call.durationMs);
    return trace.setSpan(parent, span);
  };
  const addCall = (call: AuditedCall) => {
    const attributes = attributesOf(call);
    duration.record(call.durationMs / 1000, attributes);
    logger.emit({
      context: addSpan(call, { ...attributes, ...detailsOf(call) }),
      eventName: 'causeway.call',
      timestamp: new Date(call.at),
      severityNumber: call.outcome === 'answered' ? SeverityNumber.INFO : SeverityNumber.WARN,
      body: `${call.method} ${call.tool ?? ''}: ${call.outcome}`,
      attributes: { ...attributes, ...detailsOf(call) },
    });
  };
  const addEvent = (event: AuditedEvent) =>
    logger.emit({
      eventName: `causeway.${underscored(event.event)}`,
      timestamp: new Date(event.at),
      severityNumber: SeverityNumber.INFO,
      body: event.event,
      attributes: factsOf(event),
    });
  return {
    add: (record) => (isCall(record) ? addCall(record) : addEvent(record)),
    async close() {
      const ended = Promise.allSettled([meters.shutdown(), loggers.shutdown(), tracers.shutdown()]);
      await Promise.race([ended, sleep(CLOSE_MS, undefined, { ref: false })]);
      agent.destroy();
    },
  };
}

const ALGORITHMS = { gzip: CompressionAlgorithm.GZIP, none: CompressionAlgorithm.NONE };

/** Each process sends what is new, so that what many send can be added up; a collector that wants totals can be given them. */
function temporality(env: NodeJS.ProcessEnv) {
  if (env.OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE) return {};
  return { temporalityPreference: AggregationTemporalityPreference.DELTA };
}

/** What the environment cannot change: an AI client that is observed itself hands its own name on to the proxies that it starts. */
function resourceOf({ instance, host, osUser }: Origin): Resource {
  const own = resourceFromAttributes({
    'service.name': 'causeway',
    'service.version': VERSION,
    'service.instance.id': instance,
  });
  const found = resourceFromAttributes({ 'host.name': host, ...(osUser === null ? {} : { 'process.owner': osUser }) });
  return found.merge(resourceFromAttributes(envDetector.detect().attributes ?? {})).merge(own);
}

/** W3C Trace Context §3.2, as far as it is needed. */
const TRACEPARENT = /^[\da-f]{2}-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})$/;

function parentOf(traceparent: string | null): Context {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(traceparent ?? '') ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return ROOT_CONTEXT;
  const traceFlags = Number.parseInt(flags, 16);
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
}

/** A collector without a pipeline for traces has no such address, and is not at fault. */
function unlessUnwanted(onSent: OtlpOptions['onSent']): OtlpOptions['onSent'] {
  return (failure) => {
    if (failure !== 'status 404') onSent(failure);
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
function observed<Items, Kind extends Exporter<Items>>(
  exporter: Kind & Exporter<Items>,
  onSent: OtlpOptions['onSent'],
): Kind {
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

function isCall(record: AuditRecord): record is AuditedCall {
  return record.event === 'call';
}
