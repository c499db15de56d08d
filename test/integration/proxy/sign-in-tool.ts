import { expect, vi } from 'vitest';
import type { ProxyProcess } from './proxy-process.ts';

export interface ListedTool {
  name: string;
  title?: string;
  description?: string;
}

let lists = 0;

/** The tools that a proxy lists now. */
export async function listTools(proxy: ProxyProcess): Promise<ListedTool[]> {
  lists += 1;
  const { result } = await proxy.request(`list ${lists}`, 'tools/list');
  return Object(result).tools;
}

/**
 * The tool `sign_in`, once the proxy lists it as its only one. Where the workspace or the application is slow, the first
 * list comes before the proxy knows that nobody is signed in, and has `connection_status`.
 */
export async function signInTool(proxy: ProxyProcess): Promise<ListedTool | undefined> {
  const listed = async () => {
    const tools = await listTools(proxy);
    expect(tools.map(({ name }) => name)).toEqual(['sign_in']);
    return tools[0];
  };
  return vi.waitFor(listed, 15_000);
}
