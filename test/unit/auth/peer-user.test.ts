import { endianness } from 'node:os';
import { describe, expect, it } from 'vitest';
import { userOfPeer } from '../../../main/auth/oauth/peer-user.ts';

const HEAD =
  '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode                     ';
const line = (local: string, remote: string, state: string, uid: number) =>
  `   1: ${local} ${remote} ${state} 00000000:00000000 00:00000000 00000000  ${uid}        0 155740 1 00000000077971d2 100 0`;
const V4 = '0100007F';
const V6 = '00000000000000000000000001000000';
const MAPPED = `0000000000000000FFFF0000${V4}`;
const ANY = '00000000:0000';
const ENDS = { localAddress: '127.0.0.1', localPort: 0x1f54, remoteAddress: '127.0.0.1', remotePort: 0xc350 };
const listening = line(`${V4}:1F54`, ANY, '0A', 1000);
const ours = line(`${V4}:1F54`, `${V4}:C350`, '01', 1000);
const of = (rows: string[], ends = ENDS) => userOfPeer([HEAD, ...rows].join('\n'), ends);

describe.runIf(endianness() === 'LE')('the user at the other end of a connection', () => {
  it('is whose program has it', () => {
    const others = line(`${V4}:C350`, `${V4}:1F90`, '01', 1002);
    expect(of([listening, ours, others, line(`${V4}:C350`, `${V4}:1F54`, '01', 1001)])).toBe(1001);
  });

  it('is found in the table of IPv6, too, from either family', () => {
    expect(of([listening, ours, line(`${MAPPED}:C350`, `${MAPPED}:1F54`, '01', 1001)])).toBe(1001);
    const ends = { ...ENDS, localAddress: '::1', remoteAddress: '::1' };
    const rows = [line(`${V6}:1F54`, ANY, '0A', 1000), line(`${V6}:C350`, `${V6}:1F54`, '01', 1003)];
    expect(of(rows, ends)).toBe(1003);
    expect(
      of([listening, line(`${V4}:C350`, `${V4}:1F54`, '01', 1004)], { ...ENDS, remoteAddress: '::ffff:127.0.0.1' }),
    ).toBe(1004);
  });

  it('is not that of another address of this computer with the same port', () => {
    const rows = [
      listening,
      line(`${V4}:C350`, `${V4}:1F54`, '01', 1000),
      line('0500007F:C350', `${V4}:1F54`, '01', 1001),
    ];
    expect(of(rows, { ...ENDS, remoteAddress: '127.0.0.5' })).toBe(1001);
  });

  it.each([
    ['closed it, and nobody has it', [line(`${V4}:C350`, `${V4}:1F54`, '05', 0)]],
    ['is in the table no more', []],
  ])('is gone if the program %s', (_what, rows) => {
    expect(of([listening, ours, ...rows])).toBe('gone');
  });

  it.each([
    ['is empty', ''],
    ['shows nothing of this process', [HEAD, line('00000000:0016', ANY, '0A', 0)].join('\n')],
    ['is something else', 'no such file\n\n'],
  ])('is not known if the table %s', (_what, table) => {
    expect(userOfPeer(table, ENDS)).toBeUndefined();
  });
});
