import { describe, expect, it } from 'vitest';
import { formatServer } from '../../../renderer/servers/format.ts';

describe('the line under the title of a server', () => {
  it.each([
    ['names its type', { type: 'sql', title: 'databricks-sql', name: 'databricks-sql' }, 'SQL'],
    [
      'has its name if the title is another one',
      { type: 'genie', title: 'Orders', name: 'genie-1' },
      'Genie · genie-1',
    ],
    [
      'does not repeat the type as the name',
      { type: 'functions', title: 'main.default', name: 'functions' },
      'Functions',
    ],
  ] as const)('%s', (_, server, line) => {
    expect(formatServer({ ...server, profile: 'prod' }, false)).toBe(line);
    expect(formatServer({ ...server, profile: 'prod' }, true)).toBe(`${line} · as prod`);
  });
});
