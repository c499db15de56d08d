import { EventEmitter, once } from 'node:events';
import { RestFault, type Warehouse } from './model.ts';

/** Starts and stops warehouses over time; `load` moves it to another set of warehouses and forgets what was under way. */
export class Transitions {
  readonly #changed = new EventEmitter().setMaxListeners(0);
  readonly #timers = new Map<string, NodeJS.Timeout>();
  #warehouses: () => Warehouse[];
  #startupMs: number;

  constructor(warehouses: () => Warehouse[], startupMs: number) {
    this.#warehouses = warehouses;
    this.#startupMs = startupMs;
  }

  start(id: string): void {
    const warehouse = this.#present(id);
    if (warehouse.state === 'RUNNING' || warehouse.state === 'STARTING') return;
    this.#move(warehouse, 'STARTING', 'RUNNING');
  }

  stop(id: string): void {
    const warehouse = this.#present(id);
    if (warehouse.state === 'STOPPED' || warehouse.state === 'STOPPING') return;
    this.#move(warehouse, 'STOPPING', 'STOPPED');
  }

  delete(id: string): void {
    const warehouse = this.#present(id);
    this.#move(warehouse, 'DELETING', 'DELETED');
  }

  /** Rejects if the warehouse is neither running nor on its way to it, and as soon as it turns away from it. */
  async whenRunning(id: string, signal?: AbortSignal): Promise<void> {
    for (;;) {
      signal?.throwIfAborted();
      const { name, state } = this.#present(id);
      if (state === 'RUNNING') return;
      if (state !== 'STARTING') throw new RestFault(400, 'INVALID_STATE', `SQL warehouse ${name} is ${state}.`);
      await once(this.#changed, 'change', signal === undefined ? {} : { signal });
    }
  }

  /** Forgets what was under way: called when the world is replaced and when the workspace closes. */
  reset(startupMs: number): void {
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
    this.#startupMs = startupMs;
    this.#changed.emit('change');
  }

  #present(id: string): Warehouse {
    const warehouse = this.#warehouses().find((candidate) => candidate.id === id && candidate.state !== 'DELETED');
    if (!warehouse) throw noSuchWarehouse(id);
    return warehouse;
  }

  #move(warehouse: Warehouse, through: Warehouse['state'], to: Warehouse['state']): void {
    if (warehouse.state === 'DELETING') {
      throw new RestFault(400, 'INVALID_STATE', `SQL warehouse ${warehouse.name} is being deleted.`);
    }
    clearTimeout(this.#timers.get(warehouse.id));
    warehouse.state = through;
    this.#changed.emit('change');
    const timer = setTimeout(() => {
      this.#timers.delete(warehouse.id);
      warehouse.state = to;
      this.#changed.emit('change');
    }, this.#startupMs);
    this.#timers.set(warehouse.id, timer.unref());
  }
}

export function noSuchWarehouse(id: string): RestFault {
  return new RestFault(404, 'RESOURCE_DOES_NOT_EXIST', `SQL warehouse ${id} does not exist.`);
}
