/**
 * Plays a user at a browser: opens the sign-in address, and on the workspace's consent page chooses a user and clicks
 * Allow. Follows redirects and keeps cookies as a browser does, up to the page that says the window may be closed.
 */
export async function clickThrough(address: string, userName: string): Promise<void> {
  const cookies = new Map<string, string>();
  let url = new URL(address);
  let form: URLSearchParams | undefined;
  for (let hops = 0; hops < 15; hops += 1) {
    const response: Response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form ? { method: 'POST', body: form } : {}),
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (name !== undefined && value !== undefined) cookies.set(name, value);
    }
    form = undefined;
    const page = await response.text();
    const next = response.headers.get('location');
    if (next) url = new URL(next, url);
    else if (response.ok && page.includes('value="allow"')) {
      form = new URLSearchParams({ user: userName, decision: 'allow' });
    } else if (response.ok) return;
    else throw new Error(`The sign-in stopped at ${url.origin}${url.pathname} with ${response.status}.`);
  }
  throw new Error('The sign-in went in circles.');
}
