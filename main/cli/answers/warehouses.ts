import { z } from 'zod';
import { overrideRow } from '../../../preload/contract/overrides.ts';
import { effectiveWarehouse, overrideValue, warehouse as warehouseInfo } from '../../../preload/contract/warehouse.ts';
import { check, failure } from './failure.ts';
import { named } from './named.ts';

const warehouse = named('warehouse', 'A SQL warehouse.', warehouseInfo, {
  id: 'Its id.',
  name: 'Its name; the id again if the name cannot be read.',
  state: 'The state as the workspace spells it, such as `RUNNING` or `STOPPED`; `UNKNOWN` if it cannot be read.',
  size: '`2X-Small` to `5X-Large`; empty if it cannot be read.',
  type: '`PRO`, `CLASSIC` or a newer word; empty if it cannot be read.',
  serverless: 'Whether it is serverless.',
  canUse: 'Whether the signed-in user can run queries on it.',
});

/** Where something was changed, and as whom. */
const place = named(
  'place',
  'Where something was changed, and as whom.',
  z.object({ profile: z.string(), host: z.string(), userName: z.string().nullable() }),
  {
    profile: 'The profile of the Databricks configuration file.',
    host: "The workspace's address.",
    userName: 'The signed-in user; null if the name could not be read.',
  },
);

const value = named('overrideValue', 'What an override says.', overrideValue, {
  type: '`CUSTOM`, `LAST_SELECTED` or a newer word.',
  warehouseId: 'The warehouse; null if the override names none.',
  warehouseName: "The warehouse's name; null if it is not known.",
});

const owner = {
  userId: 'The numeric id of the user.',
  userName: "The user's name; empty if the workspace does not say it.",
  displayName: 'The name that people see; empty if the workspace does not say it.',
};

/** One user's override. */
const override = named(
  'override',
  "One user's default warehouse override.",
  z.object({ userId: z.string(), userName: z.string(), displayName: z.string(), ...overrideValue.shape }),
  {
    ...owner,
    type: '`CUSTOM`, `LAST_SELECTED` or a newer word.',
    warehouseId: 'The warehouse; null if the override names none.',
    warehouseName: "The warehouse's name; null if it is not known.",
  },
);

/** An override with what an admin is shown of it. */
const checkedOverride = named(
  'checkedOverride',
  'An override, and whether its owner’s queries run.',
  z.object({
    ...override.shape,
    ...overrideRow.pick({ warehouseState: true, dangling: true, ownerKind: true, canUse: true }).shape,
  }),
  {
    ...owner,
    type: '`CUSTOM`, `LAST_SELECTED` or a newer word.',
    warehouseId: 'The warehouse; null if the override names none.',
    warehouseName: "The warehouse's name; null if it is not known.",
    warehouseState: 'The state as the workspace spells it; null if it is not known.',
    dangling: "Why the owner's queries will fail; null says only that no reason was found.",
    ownerKind: 'Whose override it is.',
    canUse: 'Whether the owner may use the warehouse; null if the override names none.',
  },
);

const pin = named(
  'pin',
  "A warehouse that an AI client's calls name, regardless of the override.",
  z.object({
    server: z.string(),
    warehouseId: z.string(),
    client: z.object({ id: z.string(), name: z.string() }).nullable(),
    project: z.string().nullable(),
    problem: z.string().nullable(),
  }),
  {
    server: 'The name of the server in the list.',
    warehouseId: 'The warehouse.',
    client: 'The client whose entry has it; null if it is the server’s, for every client.',
    project: 'The folder of the project whose file has it; null for the user’s own files.',
    problem: 'Why its calls will fail, as a sentence.',
  },
);

/** Which warehouse queries run on, and why. */
export const effective = named(
  'effectiveWarehouse',
  "Which warehouse a user's queries run on, and why.",
  effectiveWarehouse.extend({ override: value.nullable() }),
  {
    profile: 'The profile of the Databricks configuration file.',
    host: "The workspace's address.",
    user: 'The signed-in user.',
    warehouse: 'The warehouse; null if it is not known, or there is none.',
    decidedBy: 'The step that decides.',
    certainty: '`predicted` if the workspace does not say it, `seen` if its query history has shown it for a query.',
    seen: 'Where the last query ran that the query history has shown since the settings are as they are; null if none.',
    override: 'The user’s own override.',
    steps: 'The steps that were gone through, with the reason of each.',
    problems: 'Why queries would fail.',
  },
);

/** `causeway warehouse`. */
export const shownWarehouse = effective.extend({
  pins: z.array(pin),
  databricksCli: z
    .object({
      warehouse: z.object({ id: z.string(), name: z.string(), state: z.string() }).nullable(),
      rule: z.enum(['environment', 'override', 'workspace-default', 'first-usable']).nullable(),
      passedOver: z.string().nullable(),
      error: failure.nullable(),
    })
    .nullable(),
});

/** What a command shows or has made of one override. */
export const overrideAnswer = z.object({
  override: override.nullable(),
  change: z.enum(['set', 'cleared', 'had-none']).nullable(),
  place: place.nullable(),
  warning: z.string().nullable(),
});

export const warehouseList = z.object({
  warehouses: z.array(
    warehouse.extend({ effective: z.union([z.boolean(), z.enum(['seen', 'predicted', 'unknown'])]) }),
  ),
});

export const power = z.object({ warehouse, place });

export const overrideList = z.object({ overrides: z.array(checkedOverride) });

export const defaultAnswer = z.object({
  warehouseId: z.string().nullable(),
  warehouse: warehouse.nullable(),
  change: z
    .object({
      before: z.string().nullable(),
      affected: z.object({ withoutOverride: z.number(), users: z.number() }).nullable(),
      place,
    })
    .nullable(),
});

const line = named(
  'plannedLine',
  'One line of an import, one member of a group, or one user who is in neither.',
  z.object({
    line: z.number(),
    userId: z.string(),
    userName: z.string(),
    isOther: z.boolean(),
    action: z.enum(['create', 'update', 'delete', 'unchanged', 'invalid']),
    before: value.nullable(),
    after: value.nullable(),
    canUse: z.union([z.boolean(), z.literal('unknown')]).nullable(),
    warning: z.string().nullable(),
    problem: z.string().nullable(),
    result: z.enum(['done', 'unchanged', 'invalid', 'failed', 'not-tried', 'left-out']).nullable(),
    message: z.string().nullable(),
    error: failure.nullable(),
    at: z.string().nullable(),
  }),
  {
    line: 'The line in the file, counted from 1.',
    userId: 'The numeric id of the user; empty if it is not known.',
    userName: "The user's name; empty if it is not known.",
    isOther: 'Whether the user is not in the file or the group, and `--only` clears the override.',
    action: 'What is to be done.',
    before: 'The override before.',
    after: 'The override after.',
    canUse: 'Whether the user may use the warehouse; null if that was not looked up.',
    warning: 'What follows from the change, as a sentence.',
    problem: 'Why the line is invalid, as sentences.',
    result: 'What became of it; null if nothing was carried out.',
    message: 'The result in words.',
    error: 'Why it failed.',
    at: 'When that was.',
  },
);

export const bulkAnswer = z.object({
  dryRun: z.boolean(),
  lines: z.array(line),
  journal: z.string().nullable(),
  place: place.nullable(),
});

export const journals = z.object({
  journals: z.array(
    z.object({
      id: z.string(),
      kind: z.enum(['import', 'assignment', 'selection', 'undo']).nullable(),
      host: z.string().nullable(),
      source: z.string().nullable(),
      sha256: z.string().nullable(),
      runs: z.array(
        z.object({
          at: z.string(),
          admin: z.object({ id: z.string(), userName: z.string() }),
          profile: z.string(),
          changes: z.number(),
        }),
      ),
      isComplete: z.boolean().nullable(),
      changes: z.number().nullable(),
      made: z.number().nullable(),
      error: failure.nullable(),
    }),
  ),
});

export const verification = z.object({ checks: z.array(check.extend({ at: z.string(), tookMs: z.number() })) });
