import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import type { Causeway } from '../../../main/app/causeway.ts';
import { createDesktop } from '../../../main/desktop/desktop.ts';
import { answer, type RequestHandlers } from '../../../main/desktop/requests.ts';
import { CausewayError } from '../../../main/platform/errors.ts';
import { channelOf, createApi } from '../../../preload/api.ts';
import { events, requests } from '../../../preload/contract.ts';
import { plainSettings, plainShell } from '../../plain-desktop.ts';
import { effective, known } from './states.ts';

const unused = (): never => {
  throw new Error('not used here');
};
const env = { CAUSEWAY_HOME: mkdtempSync(join(tmpdir(), 'causeway-contract-')) };
const causeway: Causeway = {
  env,
  auth: unused,
  services: unused,
  apps: unused,
  profileNames: unused,
  open: unused,
  statementHistory: unused,
  serveProxies: unused,
  monitorHealth: unused,
  openMcpSession: unused,
  renewConnections: unused,
  close: unused,
};
afterAll(() => rmSync(env.CAUSEWAY_HOME, { recursive: true }));

const handlers = () =>
  createDesktop({ causeway, env, settings: plainSettings(env), shell: plainShell(), onEvent: unused }).handlers;

describe('each request of the contract', () => {
  const { request } = createApi({ invoke: async (...sent) => sent, subscribe: () => () => undefined });

  it.each(Object.keys(requests))('%s has a handler and a preload function that calls its channel', async (name) => {
    expect(handlers()).toHaveProperty(name, expect.any(Function));
    const call: unknown = Reflect.get(request, name);
    expect(call).toBeTypeOf('function');
    if (typeof call !== 'function') return;
    expect(await call('input')).toEqual([channelOf(name), 'input']);
  });

  it('is everything that can be called', () => {
    expect(Object.keys(handlers()).sort()).toEqual(Object.keys(requests).sort());
    expect(Object.keys(request).sort()).toEqual(Object.keys(requests).sort());
  });
});

describe('each event of the contract', () => {
  it.each(Object.keys(events))('%s has a preload function that listens on its channel, and can unsubscribe', (name) => {
    const stop = vi.fn();
    const subscribe = vi.fn(() => stop);
    const { on } = createApi({ invoke: async () => undefined, subscribe });
    expect(Object.keys(on).sort()).toEqual(Object.keys(events).sort());
    const listen: unknown = Reflect.get(on, name);
    if (typeof listen !== 'function') throw new Error(`${name} is no function`);
    const listener = () => undefined;
    const unsubscribe = listen(listener);
    expect(subscribe).toHaveBeenCalledWith(channelOf(name), listener);
    unsubscribe();
    expect(stop).toHaveBeenCalledOnce();
  });
});

describe('answering a request', () => {
  const answering = (change: Partial<RequestHandlers>): RequestHandlers => ({ ...handlers(), ...change });

  it('refuses what does not match the schema before any handler sees it', async () => {
    const setOverride = vi.fn();
    for (const raw of [
      undefined,
      {},
      { profile: 'a' },
      { profile: 'a', wanted: { type: 'CUSTOM', warehouseId: '' } },
      { profile: 1, wanted: { type: 'NONE' } },
    ]) {
      const reply = await answer(answering({ setOverride }), 'setOverride', raw);
      expect(reply).toMatchObject({ ok: false, problem: { code: 'invalid_argument' } });
    }
    expect(setOverride).not.toHaveBeenCalled();
  });

  it('passes on only what the contract names', async () => {
    const state = known({ ...effective(), ...{ token: 'dapi-secret' } });
    const reply = await answer(answering({ getState: async () => state }), 'getState', undefined);
    expect(reply).toMatchObject({ ok: true, value: { warehouse: { status: 'known' } } });
    expect(JSON.stringify(reply)).not.toContain('dapi-secret');
  });

  it('reports a failure by code, message and remedy', async () => {
    const error = new CausewayError('permission_denied', 'Not yours.', { remedy: 'Ask.', cause: new Error('inner') });
    const reply = await answer(answering({ setOverride: () => Promise.reject(error) }), 'setOverride', {
      profile: 'a',
      wanted: { type: 'NONE' },
    });
    expect(reply).toEqual({ ok: false, problem: { code: 'permission_denied', message: 'Not yours.', remedy: 'Ask.' } });
  });

  it('reports nothing about an error that is not ours, and logs it in the terminal', async () => {
    const report = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const error = new TypeError('dapi-secret at /home/ana');
    const reply = await answer(answering({ checkAgain: () => Promise.reject(error) }), 'checkAgain', undefined);
    expect(reply).toMatchObject({ ok: false, problem: { code: 'internal' } });
    expect(JSON.stringify(reply)).not.toMatch(/dapi-secret|home|TypeError|\.ts/);
    expect(report).toHaveBeenCalledOnce();
    report.mockRestore();
  });
});
