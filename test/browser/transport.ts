import { createApi } from '../../preload/api.ts';

/** Puts the application's own `window.causeway` into a browser's page: its IPC replaced by requests to the page's server. */

const listeners = new Map<string, Set<(payload: unknown) => void>>();

const source = new EventSource('/events');
source.onmessage = ({ data }: MessageEvent<string>) => {
  const { channel, payload } = JSON.parse(data);
  for (const listener of listeners.get(channel) ?? []) listener(payload);
};

/** An event of IPC is never lost; here none is told to a page that does not hear yet. */
const isHearing = new Promise((resolve) => source.addEventListener('open', resolve, { once: true }));

const api = createApi({
  invoke: async (channel, input) => {
    await isHearing;
    const answer = await fetch(`/requests/${channel}`, { method: 'POST', body: JSON.stringify({ input }) });
    return answer.json();
  },
  subscribe: (channel, listener) => {
    const here = listeners.get(channel) ?? new Set();
    listeners.set(channel, here.add(listener));
    return () => here.delete(listener);
  },
});

Object.defineProperty(window, 'causeway', { value: api });
