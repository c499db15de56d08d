import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { quantile, times } from './clock.ts';
import { type Contender, openSession } from './contender.ts';

const ROUNDS = 15;

/** Milliseconds (p50) from each contender's spawn to the answer of `initialize`, and of bare Node's from spawn to exit. */
export async function measureColdStarts(contenders: Contender[]): Promise<{ bare: number; of: Map<string, number> }> {
  const took = new Map<string, number[]>(contenders.map(({ name }) => [name, []]));
  const bare: number[] = [];
  // In turns, so that whatever else the machine does falls on all of them.
  for (let round = 0; round < ROUNDS; round += 1) {
    bare.push(...(await times(1, bareNode)));
    for (const contender of contenders) {
      const start = performance.now();
      const client = await openSession(contender, '/api/2.0/mcp/json');
      took.get(contender.name)?.push(performance.now() - start);
      await client.close();
    }
  }
  return { bare: quantile(bare, 0.5), of: new Map([...took].map(([name, all]) => [name, quantile(all, 0.5)])) };
}

async function bareNode(): Promise<void> {
  await once(spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' }), 'exit');
}
