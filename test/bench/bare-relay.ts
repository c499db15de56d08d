/**
 * The least that a proxy can do between stdio and undici: each line goes out as a request, each answer comes back as a
 * line. It knows about no session, no failure, and no reader that pauses. No proxy on undici is much faster than this one.
 */
import { type Dispatcher, Pool } from 'undici';

const [origin = '', path = '/'] = process.argv.slice(2);
const pool = new Pool(origin);
const headers = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  authorization: 'Bearer dapi-bench',
  'mcp-session-id': 'floor',
};

function exchange(frame: string): void {
  const chunks: Buffer[] = [];
  const handler: Dispatcher.DispatchHandler = {
    onRequestStart() {},
    onResponseStart() {},
    onResponseData: (_controller, chunk) => void chunks.push(chunk),
    onResponseEnd() {
      const text = Buffer.concat(chunks).toString();
      const from = text.indexOf('{');
      if (from >= 0) process.stdout.write(`${text.slice(from).trimEnd()}\n`);
    },
    onResponseError(_controller, error) {
      throw error;
    },
  };
  pool.dispatch({ path, method: 'POST', headers, body: frame }, handler);
}

let rest = '';
process.stdin.on('end', () => process.exit());
process.stdin.setEncoding('utf8').on('data', (text: string) => {
  const lines = (rest + text).split('\n');
  rest = lines.pop() ?? '';
  for (const line of lines) exchange(line);
});
