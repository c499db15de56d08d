import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { z } from 'zod';
import { printable } from '../terminal.ts';

const created = z.object({
  request: z.object({ method: z.string(), origin: z.coerce.string(), path: z.string() }),
});
const answered = z.object({ response: z.object({ statusCode: z.number() }) });

/** Writes a line for each request and each answer, without headers and bodies: they may hold secrets. Gives the end of it. */
export function logRequests(output: NodeJS.WritableStream): () => void {
  const line = (text: string) => {
    output.write(`${new Date().toISOString().slice(11, 19)} DEBUG ${printable(text)}\n`);
  };
  const onRequest = (message: unknown) => {
    const { data } = created.safeParse(message);
    if (data) line(`${data.request.method} ${data.request.origin}${data.request.path.split('?')[0]}`);
  };
  const onAnswer = (message: unknown) => {
    const { data } = answered.safeParse(message);
    if (data) line(`< HTTP ${data.response.statusCode}`);
  };
  subscribe('undici:request:create', onRequest);
  subscribe('undici:request:headers', onAnswer);
  return () => {
    unsubscribe('undici:request:create', onRequest);
    unsubscribe('undici:request:headers', onAnswer);
  };
}
