import { describe, expect, it } from 'vitest';
import { CLIENTS, clientOnWire } from '../../../main/clients/table.ts';
import { AGENTS, agentOf, userAgent } from '../../../main/platform/user-agent.ts';

describe('the agent in a request', () => {
  it.each([
    ['claude-code', 'claude-code'],
    ['codex-mcp-client', 'codex'],
    ['cursor-vscode', 'cursor'],
    ['gemini-cli-mcp-client-databricks-sql', 'gemini-cli'],
    ['Visual Studio Code - Insiders', 'vscode-agent'],
    ['GOOSE', 'goose'],
    ['My Client/2.0 (beta)', 'My-Client-2.0--beta-'],
    ['größe', 'gr--e'],
    ['x'.repeat(100), 'x'.repeat(64)],
    [' ', undefined],
    [undefined, undefined],
  ])('of a client that calls itself %s is %s', (client, agent) => {
    expect(agentOf(client)).toBe(agent);
  });

  it('has no other spelling of a name than the table of AI clients', () => {
    const known = CLIENTS.flatMap(({ wireNames }) => wireNames);
    expect(AGENTS.map(([wireName]) => wireName).filter((name) => !known.includes(name))).toEqual([]);
    // Each name of a client leads to one agent.
    for (const [wireName, agent] of AGENTS) {
      const names = clientOnWire(wireName)?.wireNames ?? [];
      expect(names.map(agentOf), wireName).toEqual(names.map(() => agent));
    }
  });

  it('stands last in a header of pairs, whose values have the characters that the SDKs allow', () => {
    const system = process.platform === 'win32' ? 'windows' : process.platform;
    const start = `^causeway/[\\w.+-]+ node/[\\d.]+ os/${system} auth/pat`;
    expect(userAgent('pat', 'codex')).toMatch(new RegExp(`${start} agent/codex$`));
    expect(userAgent('pat')).toMatch(new RegExp(`${start}$`));
    expect(userAgent('a b', 'c/d')).toMatch(/ auth\/a-b agent\/c-d$/);
  });
});
