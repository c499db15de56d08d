import type { Socket } from 'node:net';
import { join } from 'node:path';

/**
 * The part of D-Bus that signals of the session bus need (D-Bus Specification › Message Protocol): calls with string arguments, and
 * the strings at the start of each received message.
 */
interface BusCall {
  destination: string;
  path: string;
  interface: string;
  member: string;
  /** Counts calls from 1. */
  serial: number;
  body: readonly string[];
}

/** A received message: the reply to a call, or a signal. */
interface BusMessage {
  member: string | undefined;
  /** The serial of the call that it replies to. */
  replyTo: number | undefined;
  body: string[];
}

const METHOD_CALL = 1;
const VERSION = 1;
/** The codes of header fields. */
const FIELD = { path: 1, interface: 2, member: 3, replyTo: 5, destination: 6, signature: 8 } as const;
/** The length of the header before its fields. */
const FIXED_BYTES = 16;
/** The longest message that is accepted. Those of the panel are short. */
const MAX_BYTES = 64 * 1024;

/** The socket of the session bus in an environment; undefined if it is not one. */
export function socketPathIn({
  DBUS_SESSION_BUS_ADDRESS: address,
  XDG_RUNTIME_DIR,
}: NodeJS.ProcessEnv): string | undefined {
  if (!address) return XDG_RUNTIME_DIR && join(XDG_RUNTIME_DIR, 'bus');
  const [, kind, name] = /(?:^|;)unix:(?:[^;]*,)?(path|abstract)=([^,;]+)/.exec(address) ?? [];
  if (name === undefined) return undefined;
  try {
    return (kind === 'abstract' ? '\0' : '') + decodeURIComponent(name);
  } catch {
    return undefined;
  }
}

/** A call as bytes. */
export function busCall({ destination, path, interface: owner, member, serial, body }: BusCall): Buffer {
  const texts = joined(body.map(encoded), 4);
  const fields = joined(
    [
      field(FIELD.path, 'o', encoded(path)),
      field(FIELD.destination, 's', encoded(destination)),
      field(FIELD.interface, 's', encoded(owner)),
      field(FIELD.member, 's', encoded(member)),
      ...(body.length > 0 ? [field(FIELD.signature, 'g', signature('s'.repeat(body.length)))] : []),
    ],
    8,
  );
  const head = Buffer.alloc(FIXED_BYTES);
  head.write('l');
  head.writeUInt8(METHOD_CALL, 1);
  head.writeUInt8(VERSION, 3);
  head.writeUInt32LE(texts.length, 4);
  head.writeUInt32LE(serial, 8);
  head.writeUInt32LE(fields.length, 12);
  return joined([head, fields, texts], 8);
}

interface Listener {
  onAuthenticated(): void;
  onMessage(message: BusMessage): void;
}

/** Authenticates as this user, then reads messages. An invalid message ends the connection. */
export function readMessages(socket: Socket, { onAuthenticated, onMessage }: Listener): void {
  let received = Buffer.alloc(0);
  let isAuthenticated = false;
  const uid = Buffer.from(String(process.getuid?.())).toString('hex');
  socket.write(`\0AUTH EXTERNAL ${uid}\r\n`);
  socket.on('data', (chunk) => {
    received = Buffer.concat([received, chunk]);
    if (!isAuthenticated) {
      const end = received.indexOf('\r\n');
      if (end < 0) return;
      if (!received.subarray(0, end).toString('latin1').startsWith('OK ')) return void socket.destroy();
      received = received.subarray(end + 2);
      isAuthenticated = true;
      socket.write('BEGIN\r\n');
      onAuthenticated();
    }
    try {
      for (let length = lengthOf(received); length !== undefined; length = lengthOf(received)) {
        onMessage(messageIn(received.subarray(0, length)));
        received = received.subarray(length);
      }
    } catch {
      socket.destroy();
    }
  });
}

/** The length of the first message; undefined while it is incomplete. @throws {RangeError} if it is too long */
function lengthOf(bytes: Buffer): number | undefined {
  if (bytes.length < FIXED_BYTES) return undefined;
  const number = numbersIn(bytes);
  const length = bodyOf(bytes) + number(4);
  if (length > MAX_BYTES) throw new RangeError('A message of the session bus is too long.');
  return bytes.length < length ? undefined : length;
}

function bodyOf(bytes: Buffer): number {
  return aligned(FIXED_BYTES + numbersIn(bytes)(12), 8);
}

/** Reads numbers in the byte order of the message. */
function numbersIn(bytes: Buffer): (offset: number) => number {
  return bytes[0] === 'l'.charCodeAt(0)
    ? (offset) => bytes.readUInt32LE(offset)
    : (offset) => bytes.readUInt32BE(offset);
}

/** @throws {RangeError} if it is cut off */
function messageIn(bytes: Buffer): BusMessage {
  const number = numbersIn(bytes);
  const textAt = (offset: number) => bytes.toString('utf8', offset + 4, offset + 4 + number(offset));
  const end = FIXED_BYTES + number(12);
  const message: BusMessage = { member: undefined, replyTo: undefined, body: [] };
  let types = '';
  for (let offset = FIXED_BYTES; offset < end; offset = aligned(offset, 8)) {
    const code = bytes.readUInt8(offset);
    // Each field is of one of these types: a text, a path, a number or a signature. Its value begins at a multiple of four.
    const type = String.fromCharCode(bytes.readUInt8(offset + 2));
    offset += 4;
    if (type === 'g') {
      const length = bytes.readUInt8(offset);
      if (code === FIELD.signature) types = bytes.toString('latin1', offset + 1, offset + 1 + length);
      offset += length + 2;
    } else if (type === 'u') {
      if (code === FIELD.replyTo) message.replyTo = number(offset);
      offset += 4;
    } else {
      if (code === FIELD.member) message.member = textAt(offset);
      offset += 4 + number(offset) + 1;
    }
  }
  let offset = bodyOf(bytes);
  for (const type of types) {
    if (type !== 's') break;
    message.body.push(textAt(offset));
    offset = aligned(offset + 4 + number(offset) + 1, 4);
  }
  return message;
}

function field(code: number, type: string, value: Buffer): Buffer {
  return Buffer.concat([Buffer.from([code]), signature(type), value]);
}

/** A string: its length, its bytes, and a zero byte. */
function encoded(text: string): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(Buffer.byteLength(text));
  return Buffer.concat([length, Buffer.from(`${text}\0`)]);
}

function signature(types: string): Buffer {
  return Buffer.from(`${String.fromCharCode(types.length)}${types}\0`, 'latin1');
}

/** The parts, each of which begins at a multiple of `alignment`. */
function joined(parts: readonly Buffer[], alignment: number): Buffer {
  return parts.reduce<Buffer>(
    (before, part) => Buffer.concat([before, Buffer.alloc(aligned(before.length, alignment) - before.length), part]),
    Buffer.alloc(0),
  );
}

function aligned(offset: number, alignment: number): number {
  return Math.ceil(offset / alignment) * alignment;
}
