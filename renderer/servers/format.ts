import type { ConfiguredServer, ServerKind, ToolInfo } from '../../preload/contract.ts';
import { formatServerKind } from '../../preload/format.ts';

/** States in which an admin has to grant or enable something in the workspace. */
const MATTERS_OF_THE_WORKSPACE = new Set<ConfiguredServer['state']['status']>(['no-grants', 'forbidden', 'not-found']);

export function leadsToWorkspace({ status }: ConfiguredServer['state']): boolean {
  return MATTERS_OF_THE_WORKSPACE.has(status);
}

/** States that may change soon without any action. */
const PASSING = new Set<ConfiguredServer['state']['status']>(['unreachable', 'failing', 'login-page']);

export function passesByItself({ status }: ConfiguredServer['state']): boolean {
  return PASSING.has(status);
}

/** The time until something happens, as text. */
export function formatSoon(delayMs: number): string {
  const seconds = Math.round(delayMs / 1000);
  if (seconds <= 1) return 'now';
  return seconds < 90 ? `in ${seconds} seconds` : `in ${Math.round(seconds / 60)} minutes`;
}

/** What a server shows, by its path: `Catalog functions in main.default`. */
export function aboutServer({ kind, path }: Pick<ConfiguredServer, 'kind' | 'path'>): string {
  const words = formatServerKind(kind);
  const target = path.split('/').slice(5).map(decodeURIComponent);
  if (kind === 'other') return path;
  if (kind === 'app') return `${words} · ${path.split('/')[2]}`;
  return target.length === 0 ? words : `${words} · ${target.join('.')}`;
}

/** What a kind of server lets an AI client do. */
export const KIND_HINTS: Record<ServerKind, string> = {
  sql: 'Run queries on your SQL warehouse.',
  genie: 'Ask questions in plain words about data that somebody has prepared.',
  'vector-search': 'Find texts by their meaning.',
  functions: 'Call functions that are kept in the data catalog.',
  app: 'Use the tools of an app that is hosted on Databricks.',
  other: 'A server of the workspace’s AI Gateway, one outside that it is connected to, or any by its path.',
};

const EFFECTS: Record<ToolInfo['effect'], string> = {
  reads: 'Only reads',
  changes: 'Changes things',
  destroys: 'Can change or delete data',
  unknown: '',
};

/** What a call of a tool does, as far as its server says; empty where it says nothing. */
export function formatEffect({ effect }: ToolInfo): string {
  return EFFECTS[effect];
}

/** A duration as text. */
export function formatRunTime(durationMs: number): string {
  if (durationMs < 1000) return `${Math.round(durationMs)} ms`;
  return `${(durationMs / 1000).toFixed(1)} s`;
}

/** A size as text. */
export function formatSize(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`;
  return bytes < 1024 * 1024 ? `${Math.round(bytes / 1024)} KB` : `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}
