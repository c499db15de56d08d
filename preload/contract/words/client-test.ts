import { counted } from './count.ts';

/** What a client sees of one server, and how many milliseconds after its start. */
interface Sight {
  name: string;
  server: string;
  tools: number;
  tookMs: number;
}

/** `OpenAI Codex will see 3 tools of databricks-sql after 0.4 s.` */
export function willSee({ name, server, tools, tookMs }: Sight): string {
  const seconds = (Math.max(tookMs, 100) / 1000).toFixed(1);
  return `${name} will see ${counted(tools, 'tool')} of ${server} after ${seconds} s.`;
}
