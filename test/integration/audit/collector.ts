import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { onTestFinished } from 'vitest';
import { z } from 'zod';

const attributes = z.array(z.looseObject({ key: z.string(), value: z.record(z.string(), z.unknown()) }));
const resource = z.looseObject({ attributes });
const logsSchema = z.object({
  resourceLogs: z.array(
    z.looseObject({
      resource,
      scopeLogs: z.array(
        z.looseObject({
          logRecords: z.array(z.looseObject({ attributes, eventName: z.string(), spanId: z.string().optional() })),
        }),
      ),
    }),
  ),
});
/** A number of 64 bits is a text in JSON (OTLP › JSON Protobuf Encoding). */
const count = z.union([z.number(), z.string()]).transform(Number);
const tracesSchema = z.object({
  resourceSpans: z.array(
    z.looseObject({
      scopeSpans: z.array(
        z.looseObject({
          spans: z.array(
            z.looseObject({
              traceId: z.string(),
              spanId: z.string(),
              parentSpanId: z.string().optional(),
              name: z.string(),
              attributes,
            }),
          ),
        }),
      ),
    }),
  ),
});
const metricsSchema = z.object({
  resourceMetrics: z.array(
    z.looseObject({
      resource,
      scopeMetrics: z.array(
        z.looseObject({
          metrics: z.array(
            z.looseObject({
              name: z.string(),
              histogram: z.looseObject({
                aggregationTemporality: z.number(),
                dataPoints: z.array(
                  z.looseObject({
                    attributes,
                    count,
                    explicitBounds: z.array(z.number()),
                    bucketCounts: z.array(count),
                  }),
                ),
              }),
            }),
          ),
        }),
      ),
    }),
  ),
});

/** A point of a histogram, with its attributes and those of its resource. */
interface MetricPoint {
  name: string;
  aggregationTemporality: number;
  count: number;
  explicitBounds: number[];
  bucketCounts: number[];
  [attribute: string]: unknown;
}

/** Receives OTLP over HTTP on loopback, as a collector of OpenTelemetry does; with a certificate for `localhost`, over TLS. */
export async function startCollector(tls?: { key: string; cert: string }) {
  const bodies: { path: string; body: string; headers: IncomingHttpHeaders }[] = [];
  const receive = async (request: IncomingMessage, response: ServerResponse) => {
    const sent = await buffer(request);
    const { headers } = request;
    const body = (headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent).toString('utf8');
    bodies.push({ path: request.url ?? '', body, headers });
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  };
  const server = tls ? createHttpsServer(tls, receive) : createServer(receive);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise<void>((resolve) => void server.close(() => resolve())));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const at = (path: string) => bodies.filter((each) => each.path === path).map(({ body }) => JSON.parse(body));
  return {
    url: tls ? `https://localhost:${address.port}` : `http://127.0.0.1:${address.port}`,
    received: () => bodies.map(({ body }) => body).join('\n'),
    /** The headers of each request. */
    headers: () => bodies.map(({ headers }) => headers),
    /** The name and the attributes of each log record, with those of its resource. */
    logs: () =>
      at('/v1/logs').flatMap((body) =>
        logsSchema.parse(body).resourceLogs.flatMap(({ resource, scopeLogs }) =>
          scopeLogs.flatMap(({ logRecords }) =>
            logRecords.map(({ attributes, eventName, spanId }) => ({
              eventName,
              spanId,
              ...valuesOf(resource.attributes),
              ...valuesOf(attributes),
            })),
          ),
        ),
      ),
    /** The spans, with their attributes. */
    spans: () =>
      at('/v1/traces').flatMap((body) =>
        tracesSchema.parse(body).resourceSpans.flatMap(({ scopeSpans }) =>
          scopeSpans.flatMap(({ spans }) =>
            spans.map(({ traceId, spanId, parentSpanId, name, attributes }) => ({
              traceId,
              spanId,
              parentSpanId,
              name,
              ...valuesOf(attributes),
            })),
          ),
        ),
      ),
    /** The points of the metrics, with their attributes and those of the resource. */
    metrics: (): MetricPoint[] =>
      at('/v1/metrics').flatMap((body) =>
        metricsSchema.parse(body).resourceMetrics.flatMap(({ resource, scopeMetrics }) =>
          scopeMetrics.flatMap(({ metrics }) =>
            metrics.flatMap(({ name, histogram: { aggregationTemporality, dataPoints } }) =>
              dataPoints.map(({ attributes, count, explicitBounds, bucketCounts }) => ({
                name,
                aggregationTemporality,
                count,
                explicitBounds,
                bucketCounts,
                ...valuesOf(resource.attributes),
                ...valuesOf(attributes),
              })),
            ),
          ),
        ),
      ),
  };
}

/** How a collector may fail. */
export const FAULTS: Record<string, (request: IncomingMessage, response: ServerResponse) => void> = {
  'refuses what it gets': (_, response) => void response.writeHead(400).end('{"message":"no"}'),
  'wants a password': (_, response) => void response.writeHead(401).end(),
  fails: (_, response) => void response.writeHead(500).end('<html>'),
  'is overloaded, and asks to come again in an hour': (_, response) =>
    void response.writeHead(503, { 'retry-after': '3600' }).end(),
  'leads elsewhere': (_, response) => void response.writeHead(302, { location: 'http://127.0.0.1:9/' }).end(),
  'breaks off': (request) => void request.socket.destroy(),
  'stays silent': () => {},
  'drips an answer without end': (_, response) => {
    const timer = setInterval(() => response.write(' '), 200);
    response.on('close', () => clearInterval(timer));
  },
  'floods with an answer without end': (_, response) => {
    const pour = () => {
      while (!response.destroyed && response.write(' '.repeat(65_536)));
    };
    response.on('drain', pour);
    pour();
  },
};

/** Receives OTLP, and fails in one way. */
export async function startFaultyCollector(fault: string): Promise<string> {
  const server = createServer((request, response) => {
    request.resume();
    FAULTS[fault]?.(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return `http://127.0.0.1:${address.port}`;
}

function valuesOf(list: z.infer<typeof attributes>): Record<string, unknown> {
  return Object.fromEntries(list.map(({ key, value }) => [key, Object.values(value)[0]]));
}
