import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { z } from 'zod';

const attributes = z.array(z.looseObject({ key: z.string(), value: z.record(z.string(), z.unknown()) }));
const logsSchema = z.object({
  resourceLogs: z.array(
    z.looseObject({ scopeLogs: z.array(z.looseObject({ logRecords: z.array(z.looseObject({ attributes })) })) }),
  ),
});
const metricsSchema = z.object({
  resourceMetrics: z.array(
    z.looseObject({
      scopeMetrics: z.array(
        z.looseObject({
          metrics: z.array(
            z.looseObject({
              name: z.string(),
              histogram: z.looseObject({ dataPoints: z.array(z.looseObject({ attributes })) }),
            }),
          ),
        }),
      ),
    }),
  ),
});

/** Receives OTLP over HTTP on loopback, as a collector of OpenTelemetry does. */
export async function startCollector() {
  const bodies: { path: string; body: string }[] = [];
  const server = createServer(async (request, response) => {
    bodies.push({ path: request.url ?? '', body: await text(request) });
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise<void>((resolve) => void server.close(() => resolve())));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const at = (path: string) => bodies.filter((each) => each.path === path).map(({ body }) => JSON.parse(body));
  return {
    url: `http://127.0.0.1:${address.port}`,
    received: () => bodies.map(({ body }) => body).join('\n'),
    /** The attributes of each log record. */
    logs: () =>
      at('/v1/logs').flatMap((body) =>
        logsSchema
          .parse(body)
          .resourceLogs.flatMap(({ scopeLogs }) =>
            scopeLogs.flatMap(({ logRecords }) => logRecords.map((record) => valuesOf(record.attributes))),
          ),
      ),
    /** The names of the metrics, with the attributes of their points. */
    metrics: () =>
      at('/v1/metrics').flatMap((body) =>
        metricsSchema
          .parse(body)
          .resourceMetrics.flatMap(({ scopeMetrics }) =>
            scopeMetrics.flatMap(({ metrics }) =>
              metrics.flatMap(({ name, histogram }) =>
                histogram.dataPoints.map((point) => ({ name, ...valuesOf(point.attributes) })),
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
