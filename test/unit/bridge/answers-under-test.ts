import { Answers } from '../../../main/bridge/answers.ts';
import { readEnvelope } from '../../../main/bridge/frame/frame.ts';
import type { ResponseHead } from '../../../main/bridge/http-exchange.ts';
import { PendingRequest } from '../../../main/bridge/pending-request.ts';
import { ProgressReports } from '../../../main/bridge/progress.ts';
import type { SentSecrets } from '../../../main/platform/foreign-text.ts';
import { Secret } from '../../../main/platform/secret.ts';
import { CollectingSink } from '../../integration/bridge/harness.ts';

export const HEAD = { status: 200, headers: {} };
export const NOTE = '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}';
export const TOKEN = 'dapik3J9sQ2vXz7LmN0pR4tUwYbC5dEf';
export const elicitation = (id: number, url: string) =>
  `{"jsonrpc":"2.0","id":${id},"method":"elicitation/create","params":{"mode":"url","url":"${url}"}}`;

/** A client whose frames have been sent to a server, and what it reads of what the server says. */
export function asking(...frames: string[]) {
  return askingWith([new Secret(TOKEN)], ...frames);
}

/** The same, after other tokens were sent. */
export function askingWith(sent: SentSecrets, ...frames: string[]) {
  return askingAs({ sent, opensAddresses: true }, frames);
}

/** The same for a client that may not open addresses. */
export function askingAs({ sent, opensAddresses }: { sent: SentSecrets; opensAddresses: boolean }, frames: string[]) {
  const sink = new CollectingSink();
  const asked: [frame: string, of: string][] = [];
  const replies: string[] = [];
  const answered: string[] = [];
  /** What is known about each answer besides its frame. */
  const known: [json: unknown, head: ResponseHead][] = [];
  const answers = new Answers(sink, new ProgressReports(sink), {
    asked: (frame, of) => void asked.push([String(frame), of]),
    answered: (_trip, frame, json, head) => {
      answered.push(String(frame));
      known.push([json, head]);
    },
    reply: (frame) => void replies.push(String(frame)),
    sent: () => sent,
    place: () => ({ path: '/api/2.0/mcp/sql', ask: 'Ask your administrator.' }),
    opensAddresses: () => opensAddresses,
  });
  const requests = frames.map((text) => {
    const envelope = readEnvelope(Buffer.from(text));
    if (envelope.kind === 'invalid') throw new Error(envelope.message);
    const pending = new PendingRequest(Buffer.from(text), envelope);
    answers.sent(pending);
    return pending;
  });
  const read = () => sink.frames.splice(0).map(String);
  return {
    answers,
    asked,
    replies,
    answered,
    known,
    requests,
    read,
    /** What the client reads once the server has sent this in the answer to a frame's POST. */
    after: (text: string, at = 0) => {
      const pending = requests[at];
      if (pending) answers.take(pending, Buffer.from(text), HEAD);
      return read();
    },
    /** What the client reads once the server has sent this on its own stream. */
    afterOwn: (text: string) => {
      answers.takeOwn(Buffer.from(text));
      return read();
    },
    /** What the client reads once nothing more comes in the answer to a frame. */
    atEnd: (at = 0) => {
      const pending = requests[at];
      if (pending) answers.settle(pending);
      return read();
    },
  };
}

export const call = (id: unknown) => `{"jsonrpc":"2.0","id":${id},"method":"tools/call"}`;
export const result = (id: unknown, text = 'done') => `{"jsonrpc":"2.0","id":${id},"result":"${text}"}`;
