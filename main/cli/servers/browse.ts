import { SERVER_GROUPS } from '../../../preload/contract/server-kinds.ts';
import { CausewayError } from '../../platform/errors.ts';
import { leftOutOf, OUTSIDE_CATALOG, walkCatalog } from '../../workspace/catalog-walk.ts';
import { GROUP_TITLES, type OfferedServer, type ServerGroup } from '../../workspace/offered-servers.ts';
import type { WalkEnd } from '../../workspace/walk-queue.ts';
import type { Answer } from '../answers/answers.ts';
import type { CommandContext } from '../command.ts';
import { firstWords, padded } from '../layout.ts';
import { bold, printable, writeAnswer, writeNotice, writeStyledLine } from '../terminal.ts';

export interface BrowseOptions {
  profile?: string;
  kind?: string[];
  search?: string;
  in?: string;
  all?: boolean;
  json?: boolean;
}

/** `causeway servers browse`: everything that the workspace offers as MCP servers, group by group, as it is found. */
export async function browseServers(context: CommandContext, options: BrowseOptions): Promise<void> {
  const groups = options.kind && groupsOf(options.kind);
  if (options.in !== undefined) checkPlace(options.in, groups);
  const { client, profile } = await context.causeway().open(options.profile);
  const walk = walkCatalog(client.rest, {
    groups,
    search: options.search,
    within: options.in,
    isWhole: options.all,
    signal: context.signal,
  });
  const printer = new GroupPrinter(context);
  const found: OfferedServer[] = [];
  for await (const event of walk) {
    if (event.what === 'end') {
      if (options.json) return writeAnswer(context, 'servers browse', inJson(found, event));
      if (!printer.first) await writeNotice(context, nothing(options, profile.name));
      return closing(context, options, event, printer.first);
    }
    if (!options.json) await printer.take(event);
    else if (event.what === 'found') found.push(...event.servers);
  }
}

/** @throws {CausewayError} `usage` */
function groupsOf(names: readonly string[]): ServerGroup[] {
  return names.map((name) => {
    const group = SERVER_GROUPS.find((known) => known === name);
    if (group) return group;
    throw new CausewayError('usage', `"${name}" is not a kind of server.`, {
      remedy: `Name one of ${SERVER_GROUPS.join(', ')}.`,
      candidates: SERVER_GROUPS.map((known) => ({ name: known })),
    });
  });
}

/** @throws {CausewayError} `usage` if no catalog or schema is named, or if nothing of the groups is in one */
function checkPlace(place: string, groups: readonly ServerGroup[] | undefined): void {
  if (!/^[^.]+(\.[^.]+)?$/.test(place)) {
    throw new CausewayError('usage', `--in takes CATALOG or CATALOG.SCHEMA, not "${place}".`, {
      remedy: 'To find a server by its name, use --search.',
    });
  }
  if (groups?.every((group) => OUTSIDE_CATALOG.has(group))) {
    throw new CausewayError('usage', `Servers of the kind ${groups.join(', ')} are in no catalog.`, {
      remedy: 'Leave out --in, or use --search.',
    });
  }
}

type Found = { what: 'found'; servers: OfferedServer[] } | { what: 'complete'; group: ServerGroup };

/** Prints one group at a time as it arrives. Servers of other groups wait until the current group is complete. */
class GroupPrinter {
  /** The first server that was printed. */
  first: OfferedServer | undefined;
  readonly #context: CommandContext;
  readonly #waiting = new Map<ServerGroup, OfferedServer[]>();
  readonly #complete = new Set<ServerGroup>();
  #present: ServerGroup | undefined;

  constructor(context: CommandContext) {
    this.#context = context;
  }

  async take(event: Found): Promise<void> {
    if (event.what === 'complete') this.#complete.add(event.group);
    else {
      for (const server of event.servers) {
        this.#waiting.set(server.group, [...(this.#waiting.get(server.group) ?? []), server]);
      }
    }
    await this.#flush();
  }

  async #flush(): Promise<void> {
    for (;;) {
      this.#present ??= this.#next();
      if (this.#present === undefined) return;
      for (const server of this.#waiting.get(this.#present) ?? []) await this.#print(server);
      this.#waiting.delete(this.#present);
      if (!this.#complete.has(this.#present)) return;
      this.#present = undefined;
    }
  }

  /** The first group with waiting servers. A group that takes long comes last, so that it does not delay the others. */
  #next(): ServerGroup | undefined {
    const groups = SERVER_GROUPS.filter((group) => this.#waiting.has(group));
    const next = groups.find((group) => this.#complete.has(group)) ?? groups[0];
    if (next !== undefined) this.#heading = GROUP_TITLES[next];
    return next;
  }

  #heading: string | undefined;

  async #print(server: OfferedServer): Promise<void> {
    const { title, about, add, obstacle, successor } = server;
    const { stdout } = this.#context;
    if (this.#heading !== undefined) {
      await writeStyledLine(stdout, `${this.first ? '\n' : ''}${bold(this.#heading, this.#context)}`);
      this.#heading = undefined;
    }
    this.first ??= server;
    const notes = [
      obstacle ?? '',
      successor === null ? '' : `Newer, where it is switched on: ${successor}.`,
      firstWords(about, TEXT_LENGTH),
    ];
    const named = title === add || add.endsWith(`:${title}`) ? '' : title;
    const rest = [firstWords(named, TEXT_LENGTH), ...notes].filter((part) => part !== '').join('  ');
    await writeStyledLine(stdout, printable(`  ${padded(add, ADD_WIDTH)}  ${rest}`.trimEnd()), ADD_WIDTH + 4);
  }
}

const ADD_WIDTH = 34;
const TEXT_LENGTH = 80;

async function closing(
  context: CommandContext,
  options: BrowseOptions,
  end: WalkEnd,
  first?: OfferedServer,
): Promise<void> {
  const left = leftOutOf(end);
  if (left.length > 0) await writeNotice(context, `Left out: ${left.join(' ')}${waysToTheRest(options, end)}`);
  const as = options.profile === undefined ? '' : ` --profile ${options.profile}`;
  if (first)
    await writeNotice(context, `Add one by its first column, for example: causeway servers add ${first.add}${as}`);
}

/** How to see what was left out. */
function waysToTheRest({ search, in: within, all }: BrowseOptions, { stopped, otherApps }: WalkEnd): string {
  if (all) return '';
  if (stopped !== 'limit') return otherApps > 0 ? ' --all shows them.' : '';
  const place = within === undefined ? '--in CATALOG[.SCHEMA], ' : '';
  const text = search === undefined ? '--search TEXT, ' : '';
  return ` Narrow it with ${place}${text}--kind, or continue with --all.`;
}

function nothing({ search, in: within }: BrowseOptions, profile: string): string {
  const place = within === undefined ? '' : ` in ${within}`;
  return printable(
    search === undefined
      ? `The workspace of profile ${profile} offers you no such server${place}.`
      : `Nothing${place} matches "${search}".`,
  );
}

function inJson(servers: OfferedServer[], end: WalkEnd): Answer<'servers browse'> {
  const { requests, maxRequests, stopped } = end;
  return {
    servers,
    requests,
    maxRequests,
    isComplete: stopped === null && end.failures.length === 0,
    leftOut: leftOutOf(end),
  };
}
