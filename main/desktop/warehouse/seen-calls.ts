import { isSqlServer } from '../../../preload/contract/server-kinds.ts';
import type { ActivityCall, EffectiveWarehouseInfo } from '../../../preload/contract.ts';
import { rememberSeen, situationOf } from '../../warehouses/seen-warehouse.ts';

interface SeenCallsOptions {
  env: NodeJS.ProcessEnv;
  /** Reads the effective warehouse again. */
  readAgain(): void;
}

/**
 * Takes the calls of AI clients as proof of where the user's queries run: those that named no warehouse themselves, were looked up
 * in the query history, and came after the settings were read as they are.
 */
export class SeenCalls {
  readonly #options: SeenCallsOptions;
  #now: { effective: EffectiveWarehouseInfo; situation: string; since: number } | undefined;

  constructor(options: SeenCallsOptions) {
    this.#options = options;
  }

  /** The effective warehouse was read. @param at when, in milliseconds since the epoch */
  read(effective: EffectiveWarehouseInfo, at = Date.now()): void {
    const situation = situationOf(effective);
    const before = this.#now;
    const isSame =
      before?.situation === situation &&
      before.effective.profile === effective.profile &&
      before.effective.user.id === effective.user.id;
    this.#now = { effective, situation, since: isSame ? before.since : at };
  }

  /** More has become known of a call. */
  async saw({ profile, path, startedAt, statement }: ActivityCall): Promise<void> {
    const warehouse = statement?.record?.warehouse;
    if (!this.#now || !statement || !warehouse || statement.isPinned || !isSqlServer(path)) return;
    const { effective, situation, since } = this.#now;
    if (profile !== effective.profile || startedAt < since || startedAt <= (effective.seen?.at ?? 0)) return;
    const { id, name } = warehouse;
    await rememberSeen(this.#options.env, effective, { id, name: name ?? id, at: startedAt, situation });
    const isNews = effective.certainty !== 'known' || effective.warehouse?.id !== id;
    if (isNews && effective.seen?.id !== id) this.#options.readAgain();
  }
}
