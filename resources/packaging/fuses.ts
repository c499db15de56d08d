import type { Configuration } from 'electron-builder';

/**
 * Electron's switches, burnt into the installed binary (Electron's documentation › Electron Fuses): it can be used for
 * nothing but Causeway, neither by another program of the same person nor by a changed environment.
 */
export const FUSES = {
  runAsNode: false,
  enableNodeOptionsEnvironmentVariable: false,
  enableNodeCliInspectArguments: false,
  enableCookieEncryption: true,
  // Checked on macOS and Windows; Electron has no such check on Linux.
  enableEmbeddedAsarIntegrityValidation: true,
  onlyLoadAppFromAsar: true,
  loadBrowserProcessSpecificV8Snapshot: false,
  grantFileProtocolExtraPrivileges: false,
  // Without a certificate, too, Apple's processors want a signature that fits.
  resetAdHocDarwinSignature: true,
} as const satisfies Configuration['electronFuses'];
