import type { Secret } from '../../platform/secret.ts';
import type { SecretStore } from './secret-store.ts';

/** Keeps secrets for as long as the process lives. */
export function memoryStore(): SecretStore {
  const secrets = new Map<string, Secret>();
  return {
    shared: false,
    get: async (name) => secrets.get(name),
    set: async (name, value) => {
      secrets.set(name, value);
    },
    delete: async (name) => {
      secrets.delete(name);
    },
  };
}
