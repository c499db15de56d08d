import { describe, expect, it } from 'vitest';
import { suggestName } from '../../../main/clients/servers.ts';
import { longNames } from '../../../main/clients/table.ts';

const ID = '01ef2b7c9d3e4f5a8b6c7d8e9f007191';
const spaceNamed = (title: string | undefined, usedNames: readonly string[] = []) =>
  suggestName({ path: `/api/2.0/mcp/genie/${ID}`, title }, usedNames);

describe('the name that is proposed for a Genie space', () => {
  it.each([
    ['Orders', 'orders'],
    ['New York taxi trips', 'new-york'],
    ['Umsätze & Verträge', 'umsatze'],
    ['Kundenzufriedenheit', 'kundenzufr'],
    ['  Q3 / EMEA  ', 'q3-emea'],
  ])('of the title "%s" is %s', (title, name) => {
    expect(spaceNamed(title)).toBe(name);
  });

  it.each([[undefined], [''], ['売上'], ['…']])('is built from the id if the title is %j', (title) => {
    expect(spaceNamed(title)).toBe('genie-7191');
  });

  it('is distinct if another space has the same title', () => {
    expect(spaceNamed('New York taxi trips', ['new-york'])).toBe('new-york-2');
    expect(spaceNamed('Kundenzufriedenheit', ['kundenzufr', 'kundenzu-2'])).toBe('kundenzu-3');
  });

  it('leaves room for the names of its tools in every client', () => {
    const tools = [`query_space_${ID}`, `poll_response_${ID}`];
    for (const title of ['New York taxi trips', 'Kundenzufriedenheit', 'Sales by region']) {
      expect(longNames(spaceNamed(title), tools)).toEqual([]);
      expect(longNames(spaceNamed(title, [spaceNamed(title)]), tools)).toEqual([]);
    }
  });
});

describe('the name that is proposed for another server', () => {
  it.each([
    ['/api/2.0/mcp/sql', 'databricks-sql'],
    ['/api/2.0/mcp/functions/main/default', 'functions-default'],
    ['/api/2.0/mcp/ai-search/main/support', 'search-support'],
    ['/apps/mcp-reports/mcp', 'mcp-reports'],
    ['/ai-gateway/mcp-services/system.ai.github', 'system-ai-github'],
    ['/api/2.0/mcp/external/caf%C3%A9', 'cafe'],
    ['/api/2.0/mcp/external/100%', '100'],
  ] as const)('at %s is %s', (path, name) => {
    expect(suggestName({ path }, [])).toBe(name);
    expect(suggestName({ path }, [name])).toBe(`${name}-2`);
  });
});
