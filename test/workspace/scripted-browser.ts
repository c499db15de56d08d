/** What a sign-in needs of a browser: redirects, cookies, one form. It stops where it is sent to another origin. */

export interface Page {
  kind: 'page';
  url: URL;
  status: number;
  headers: Headers;
  text: string;
}

/** A redirect away from the origin that was opened: a callback, as a rule. */
export interface Departure {
  kind: 'departure';
  url: URL;
}

interface Cookie {
  name: string;
  value: string;
  path: string;
}

export class ScriptedBrowser {
  #cookies: Cookie[] = [];

  async open(address: string | URL, form?: Record<string, string>): Promise<Page | Departure> {
    let url = new URL(address);
    let init: RequestInit = form ? { method: 'POST', body: new URLSearchParams(form) } : {};
    for (let hops = 0; hops < 10; hops += 1) {
      const response = await fetch(url, { ...init, redirect: 'manual', headers: this.#headersFor(url) });
      this.#keep(response, url);
      const location = response.headers.get('location');
      const text = await response.text();
      if (location === null) return { kind: 'page', url, status: response.status, headers: response.headers, text };
      const next = new URL(location, url);
      if (next.origin !== url.origin) return { kind: 'departure', url: next };
      url = next;
      init = {};
    }
    throw new Error(`${address} redirects without end.`);
  }

  #headersFor(url: URL): Record<string, string> {
    const sent = this.#cookies.filter(({ path }) => url.pathname.startsWith(path));
    return { accept: 'text/html', cookie: sent.map(({ name, value }) => `${name}=${value}`).join('; ') };
  }

  #keep(response: Response, url: URL): void {
    for (const header of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(header) ?? [];
      const path = /;\s*path=([^;]+)/i.exec(header)?.[1] ?? url.pathname;
      this.#cookies = this.#cookies.filter((cookie) => cookie.name !== name || cookie.path !== path);
      if (value !== '') this.#cookies.push({ name, value, path });
    }
  }
}
