import { createServer } from 'node:http';
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

function valuesOf(list: z.infer<typeof attributes>): Record<string, unknown> {
  return Object.fromEntries(list.map(({ key, value }) => [key, Object.values(value)[0]]));
}
