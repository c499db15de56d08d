import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { gather, items, pages } from '../../../main/workspace/paging.ts';

const Numbers = z.object({ numbers: z.array(z.number()), next_page_token: z.string().optional() });

const read = (all: Record<string, z.input<typeof Numbers>>, asked: string[] = []) =>
  items(
    {
      request: async ({ query, schema }) => {
        const token = String(query?.page_token ?? '');
        asked.push(token);
        return schema.parse(all[token] ?? { numbers: [] });
      },
    },
    { path: '/', schema: Numbers },
    (page) => page.numbers,
  );

describe('pages', () => {
  test('continue after an empty page that has a next token', async () => {
    const all = {
      '': { numbers: [1], next_page_token: 'a' },
      a: { numbers: [], next_page_token: 'b' },
      b: { numbers: [2], next_page_token: '' },
    };
    expect(await gather(read(all))).toEqual([1, 2]);
  });

  test('are requested only as they are read', async () => {
    const asked: string[] = [];
    const all = { '': { numbers: [1], next_page_token: 'a' }, a: { numbers: [2] } };
    for await (const _ of read(all, asked)) break;
    expect(asked).toEqual(['']);
  });

  test('are refused if a page token repeats', async () => {
    const all = { '': { numbers: [1], next_page_token: 'a' }, a: { numbers: [2], next_page_token: 'a' } };
    await expect(gather(read(all))).rejects.toMatchObject({ code: 'unexpected_answer' });
  });

  test('are refused after 5,000 pages, with an explanation', async () => {
    let asked = 0;
    const endless = pages(async () => {
      asked += 1;
      return { next_page_token: `token-${asked}` };
    });
    await expect(gather(endless)).rejects.toThrow("The workspace's list does not end after 5000 pages.");
    expect(asked).toBe(5_000);
  });

  test('are refused if a page token is too long', async () => {
    const all = { '': { numbers: [1], next_page_token: 'x'.repeat(10_000) } };
    await expect(gather(read(all))).rejects.toMatchObject({ code: 'unexpected_answer' });
  });

  test('are refused after a million items', async () => {
    const page = { numbers: Array.from({ length: 1_000_001 }, () => 1) };
    await expect(gather(read({ '': page }))).rejects.toThrow('does not end after 1000000 items');
  });
});
