import { describe, expect, it } from 'vitest';
import { accessFrom } from '../../../main/warehouses/access.ts';

const lists = new Map([['w', [{ group_name: 'finance', all_permissions: [{ permission_level: 'CAN_USE' }] }]]]);
const ana = { id: '1', userName: 'ana@example.com', groups: [{ display: 'finance' }] };
const dan = { id: '2', userName: 'dan@example.com', groups: undefined };
const usersOf = (...users: (typeof ana | typeof dan)[]) => new Map(users.map((user) => [user.id, user]));

describe('who can use a warehouse', () => {
  it('is known for a user without groups if the workspace shows the groups of others', () => {
    const access = accessFrom(usersOf(ana, dan), lists);
    expect([access('1', 'w'), access('2', 'w')]).toEqual([true, false]);
  });

  it('is unknown for a user without groups if the workspace shows no groups', () => {
    expect(accessFrom(usersOf(dan), lists)('2', 'w')).toBe('unknown');
  });

  it('is unknown for a user and a warehouse that could not be read', () => {
    const access = accessFrom(usersOf(ana), lists);
    expect([access('3', 'w'), access('1', 'other')]).toEqual(['unknown', 'unknown']);
  });
});
