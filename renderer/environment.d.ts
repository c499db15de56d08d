/// <reference types="vite/client" />
import type { CausewayApi } from '../preload/contract.ts';

declare global {
  interface Window {
    /** Put there by the preload script. */
    readonly causeway: CausewayApi;
  }
}
