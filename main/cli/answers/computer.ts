import { z } from 'zod';
import { configuredServer } from '../../../preload/contract/servers.ts';
import { removal } from '../../../preload/contract/uninstall.ts';
import { client } from './clients.ts';
import { check, failure } from './failure.ts';
import { named } from './named.ts';
import { inEffect } from './permissions.ts';
import { effective } from './warehouses.ts';

const session = named(
  'session',
  "One AI client's session with one server, through the running application.",
  z.object({
    client: z.string().nullable(),
    clientVersion: z.string().nullable(),
    pid: z.number(),
    profile: z.string().nullable(),
    path: z.string(),
    userName: z.string().nullable(),
    since: z.string(),
    lastCallAt: z.string().nullable(),
    calls: z.object({ inFlight: z.number(), done: z.number(), failed: z.number() }),
  }),
  {
    client: 'What people call the client; null until it has named itself.',
    clientVersion: 'The version that it says.',
    pid: 'The process of `causeway proxy`.',
    profile: "The profile; null if the client's entry names none.",
    path: 'The path of the server.',
    userName: 'As whom its last call was sent; null if that is not known.',
    since: 'When it began.',
    lastCallAt: 'When its last request came.',
    calls: 'Its calls.',
  },
);

const stateOfServer = z.object({
  name: z.string(),
  profile: z.string(),
  path: z.string(),
  state: configuredServer.shape.state.shape.status,
  message: z.string(),
  remedy: z.string().nullable(),
  error: failure.nullable(),
});

export const status = z.object({
  version: z.string(),
  application: z.object({
    running: z.boolean(),
    pid: z.number().nullable(),
    version: z.string().nullable(),
    sessions: z.array(session).nullable(),
    problem: z.string().nullable(),
  }),
  servers: z.array(stateOfServer),
  clients: z.array(client),
  warehouse: z.union([effective, z.object({ error: failure })]),
  permissions: z.union([inEffect, z.object({ error: failure })]),
});

export const diagnosis = z.object({
  version: z.string(),
  profile: z.string().nullable(),
  checks: z.array(check),
});

export const provisioned = z.object({
  dryRun: z.boolean(),
  changes: z.array(
    z.object({
      what: z.enum(['profile', 'server', 'permission', 'client']),
      name: z.string(),
      result: z.enum(['added', 'would-add', 'unchanged', 'conflict', 'failed', 'not-installed']),
      message: z.string().nullable(),
      diff: z.string().nullable(),
      error: failure.nullable(),
    }),
  ),
});

export const exported = z.object({
  file: z.string(),
  profiles: z.number(),
  servers: z.number(),
  clients: z.number(),
  leftOut: z.array(z.object({ profile: z.string(), keys: z.array(z.string()) })),
});

export const uninstalled = z.object({
  dryRun: z.boolean(),
  removals: z.array(
    removal.omit({ isRunning: true, problem: true }).extend({ isRunning: z.boolean(), error: failure.nullable() }),
  ),
  kept: z.string(),
});
