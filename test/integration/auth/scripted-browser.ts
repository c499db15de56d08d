/** A browser as far as signing in needs one: it follows redirects and keeps cookies. */
export interface ScriptedBrowser {
  /** Addresses that it was asked to open, in order. */
  opened: string[];
  /** The last page that it came to. */
  page: () => Promise<{ url: string; status: number; text: string }>;
  open(url: string): Promise<void>;
}

/** @param alter changes an address before the browser goes there, as an attacker or a stale tab would */
export function scriptedBrowser(alter: (url: URL) => URL | undefined = (url) => url): ScriptedBrowser {
  const opened: string[] = [];
  let arrival: Promise<{ url: string; status: number; text: string }> = Promise.reject(new Error('opened nothing'));
  arrival.catch(() => undefined);
  return {
    opened,
    page: () => arrival,
    // As a real browser, it does not keep waiting whoever opened it.
    open: async (url) => {
      opened.push(url);
      arrival = walk(new URL(url), alter);
      arrival.catch(() => undefined);
    },
  };
}

async function walk(start: URL, alter: (url: URL) => URL | undefined) {
  const cookies = new Map<string, string>();
  let url = alter(start);
  for (let hop = 0; url && hop < 20; hop += 1) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, { redirect: 'manual', headers: { cookie } });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    const location = response.headers.get('location');
    if (response.status < 300 || response.status >= 400 || !location) {
      return { url: url.href, status: response.status, text: await response.text() };
    }
    url = alter(new URL(location, url));
  }
  throw new Error('the browser was closed');
}

/** The sign-in page that an address on this computer leads to; another address itself. */
export async function pageAt(address: string): Promise<string> {
  if (address === '') return '';
  const { hostname, pathname } = new URL(address);
  if (hostname !== 'localhost' || !pathname.startsWith('/open/')) return address;
  return (await fetch(address, { redirect: 'manual' })).headers.get('location') ?? address;
}
