import ElectronStore from 'electron-store';
import { z } from 'zod';
import { type Bounds, boundsSchema } from '../window/window-bounds.ts';

const settingsSchema = z.object({
  profile: z.string().optional().catch(undefined),
  windowBounds: boundsSchema.optional().catch(undefined),
});

/** What the desktop remembers between runs. A file that cannot be read counts as empty, a bad value as never saved. */
export class SettingsFile {
  readonly #store = new ElectronStore({ name: 'desktop', clearInvalidConfig: true });
  readonly #remembered = settingsSchema.parse(this.#store.store);

  get profile(): string | undefined {
    return this.#remembered.profile;
  }

  get windowBounds(): Bounds | undefined {
    return this.#remembered.windowBounds;
  }

  rememberProfile(profile: string): void {
    if (this.#remembered.profile === profile) return;
    this.#remembered.profile = profile;
    this.#store.set('profile', profile);
  }

  rememberWindowBounds(bounds: Bounds): void {
    this.#remembered.windowBounds = bounds;
    this.#store.set('windowBounds', bounds);
  }
}
