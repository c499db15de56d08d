import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Account } from './account.ts';
import type { HostileSession } from './hostile-server.ts';

/** A call that has run and wants its answer. */
export interface Executed {
  id: string | number;
  token: string;
  session: HostileSession;
  account: Account;
  response: ServerResponse;
}

type Answer = (call: Executed) => void | Promise<void>;

let lastEvent = 0;

function text({ id, token }: Executed, padding = 0): string {
  const result = { content: [{ type: 'text', text: token }], padding: 'x'.repeat(padding) };
  return JSON.stringify({ jsonrpc: '2.0', id, result });
}

function json(call: Executed, padding = 0): void {
  call.response.writeHead(200, { 'content-type': 'application/json' }).end(text(call, padding));
}

function events(call: Executed, padding = 0): void {
  const news = {
    jsonrpc: '2.0',
    method: 'notifications/message',
    params: { level: 'info', data: call.session.client },
  };
  call.response.writeHead(200, { 'content-type': 'text/event-stream' });
  call.response.end(`data: ${JSON.stringify(news)}\n\ndata: ${text(call, padding)}\n\n`);
}

/** The stream ends after an event with an id: the rest comes where the client asks for it. */
function cutWithEventId(call: Executed): void {
  lastEvent += 1;
  call.session.resumable.set(String(lastEvent), `data: ${text(call)}\n\n`);
  call.response.writeHead(200, { 'content-type': 'text/event-stream' });
  call.response.write(`id: ${lastEvent}\nretry: 50\ndata:\n\n`, () => call.response.destroy());
  // The session may go before the rest is asked for.
  call.account.cut(call.token);
}

function cutWithoutEventId(call: Executed): void {
  call.account.cut(call.token);
  call.response.writeHead(200, { 'content-type': 'text/event-stream' });
  call.response.write(`data: ${text(call).slice(0, 20)}`, () => call.response.destroy());
}

function cutInTheMiddle(call: Executed): void {
  call.account.cut(call.token);
  const whole = text(call, 200_000);
  call.response.writeHead(200, { 'content-type': 'application/json', 'content-length': whole.length });
  call.response.write(whole.slice(0, 100_000), () => call.response.destroy());
}

function drop(call: Executed): void {
  call.account.cut(call.token);
  call.response.destroy();
}

async function slowly(call: Executed): Promise<void> {
  await sleep(200 + Math.random() * 1_800);
  events(call);
}

/** What happens to the calls that have run; the shares that are left are answered at once. */
const ANSWERS: { name: string; share: number; answer: Answer }[] = [
  { name: 'stream cut, with event ids', share: 0.02, answer: cutWithEventId },
  { name: 'stream cut, without', share: 0.005, answer: cutWithoutEventId },
  { name: 'JSON cut', share: 0.005, answer: cutInTheMiddle },
  { name: 'dropped without an answer', share: 0.005, answer: drop },
  { name: 'slow answer', share: 0.05, answer: slowly },
  { name: '1 MiB answer', share: 0.02, answer: (call) => (Math.random() < 0.5 ? json : events)(call, 1024 * 1024) },
];

/** Answers a call that has run, in one of the ways that a server may. */
export async function answerCall(call: Executed): Promise<void> {
  let dice = Math.random();
  const fault = ANSWERS.find(({ share }) => {
    dice -= share;
    return dice < 0;
  });
  if (fault) call.account.fault(fault.name);
  await (fault?.answer ?? (Math.random() < 0.5 ? json : events))(call);
}
