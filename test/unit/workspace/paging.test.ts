import { describe, expect, test } from 'vitest';
import { gather, items, type Page, pages } from '../../../main/workspace/paging.ts';

interface Numbers extends Page {
  numbers: number[];
}

const read = (all: Record<string, Numbers>, asked: string[] = []) =>
  items(
    pages(async (token) => {
      asked.push(token ?? '');
      return all[token ?? ''] ?? { numbers: [] };
    }),
    (page) => page.numbers,
  );

describe('pages', () => {
  test('an empty page that has a next token is not the end', async () => {
    const all = {
      '': { numbers: [1], next_page_token: 'a' },
      a: { numbers: [], next_page_token: 'b' },
      b: { numbers: [2], next_page_token: '' },
    };
    expect(await gather(read(all))).toEqual([1, 2]);
  });

  test('are asked for only as they are read', async () => {
    const asked: string[] = [];
    const all = { '': { numbers: [1], next_page_token: 'a' }, a: { numbers: [2] } };
    for await (const _ of read(all, asked)) break;
    expect(asked).toEqual(['']);
  });

  test('that go round in a circle are refused', async () => {
    const all = { '': { numbers: [1], next_page_token: 'a' }, a: { numbers: [2], next_page_token: 'a' } };
    await expect(gather(read(all))).rejects.toMatchObject({ code: 'unexpected_answer' });
  });
});
