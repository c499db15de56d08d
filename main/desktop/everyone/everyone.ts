import type { Everyone, EveryoneQuery, Person } from '../../../preload/contract.ts';
import type { WarehouseService } from '../../causeway.ts';
import { type OverrideRow, withAccessOf, worthALook } from '../../warehouses/all-overrides.ts';
import type { DesktopContext } from '../context.ts';
import { problemOf } from '../problem.ts';
import { throttled } from '../throttle.ts';
import { OverrideList } from './override-list.ts';

/** How often the window hears how far the reading has come, in milliseconds. */
const TELL_EVERY = 150;

const UNREAD: Everyone = {
  profile: null,
  status: 'unread',
  count: 0,
  dangling: 0,
  unknown: 0,
  access: 'unchecked',
  problem: null,
  revision: 0,
};

/** All overrides of the profile that is shown, read when the window asks, and kept until another profile is asked for. */
export class EveryoneReading {
  readonly #model: DesktopContext['model'];
  readonly #announce: { (): void; stop(): void };
  #revision = 0;
  #list = new OverrideList();
  #state: Everyone = UNREAD;
  #work = new AbortController();

  constructor({ model, emit }: Pick<DesktopContext, 'model' | 'emit'>) {
    this.#model = model;
    this.#announce = throttled(() => emit('everyoneChanged', this.state), TELL_EVERY);
  }

  get state(): Everyone {
    const { size, dangling, unknown } = this.#list;
    return { ...this.#state, count: size, dangling, unknown, revision: this.#revision };
  }

  /** Begins, unless what is asked for is there or on its way. */
  read(profile: string, anew: boolean): Everyone {
    const { status } = this.#state;
    const isHere = this.#state.profile === profile && (status === 'reading' || status === 'complete');
    if (isHere && !anew) return this.state;
    this.#work.abort();
    this.#work = new AbortController();
    this.#list = new OverrideList();
    this.#state = { ...UNREAD, profile, status: 'reading' };
    this.#tell();
    void this.#read(profile, this.#list, this.#work.signal);
    return this.state;
  }

  /** What was read stays. */
  stop(): void {
    this.#work.abort();
    if (this.#state.status === 'reading') this.#change({ status: 'stopped' });
    if (this.#state.access === 'checking') this.#change({ access: 'unchecked' });
  }

  close(): void {
    this.#work.abort();
    this.#announce.stop();
  }

  page(profile: string, query: EveryoneQuery, from: number, count: number): { total: number; rows: OverrideRow[] } {
    return this.#listOf(profile)?.page(query, from, count, this.#state.status === 'reading') ?? { total: 0, rows: [] };
  }

  find(profile: string, query: EveryoneQuery): OverrideRow[] {
    return this.#listOf(profile)?.find(query) ?? [];
  }

  /** Looks who may use their warehouse, and marks those who may not and those of whom it cannot be told. */
  async checkAccess(profile: string): Promise<void> {
    const list = this.#listOf(profile);
    if (!list || this.#state.status !== 'complete' || this.#state.access === 'checking') return;
    const { signal } = this.#work;
    this.#change({ access: 'checking', problem: null });
    try {
      const access = await this.#model.using(profile, ({ admin }) => admin.access(worthALook(list.rows()), signal));
      if (signal.aborted) return;
      for (const row of [...list.rows()]) list.put(withAccessOf(row, access));
      this.#change({ access: 'checked' });
    } catch (error) {
      if (!signal.aborted) this.#change({ access: 'unchecked', problem: problemOf(error) });
    }
  }

  /** Shows what one user has now, after a change from here. `row` is null for who has none any more. */
  show(profile: string, userId: string, row: OverrideRow | null): void {
    const list = this.#listOf(profile);
    if (row) list?.put(row);
    else list?.remove(userId);
    // Nobody has looked yet whether this one may use the warehouse: that everybody may is not known any more.
    if (list && row?.canUse === 'unchecked' && this.#state.access === 'checked') this.#change({ access: 'unchecked' });
    else this.#tell();
  }

  /** Who somebody is, as far as the rows tell. */
  personOf(profile: string, userId: string): Person | undefined {
    const row = this.#listOf(profile)?.get(userId);
    return row && { id: userId, userName: row.userName, displayName: row.displayName };
  }

  #listOf(profile: string): OverrideList | undefined {
    return this.#state.profile === profile ? this.#list : undefined;
  }

  async #read(profile: string, list: OverrideList, signal: AbortSignal): Promise<void> {
    const fill = async ({ admin }: WarehouseService) => {
      for await (const row of admin.all({}, signal)) {
        list.put(row);
        this.#tell();
      }
    };
    try {
      await this.#model.using(profile, fill);
      if (!signal.aborted) this.#change({ status: 'complete' });
    } catch (error) {
      if (!signal.aborted) this.#change({ status: 'failed', problem: problemOf(error) });
    }
  }

  #change(change: Partial<Everyone>): void {
    this.#state = { ...this.#state, ...change };
    this.#tell();
  }

  #tell(): void {
    this.#revision += 1;
    this.#announce();
  }
}
