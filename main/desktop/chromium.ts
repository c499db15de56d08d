/** A switch of Chromium's, as its command line takes it. */
export interface ChromiumSwitch {
  name: string;
  value: string;
}

/**
 * The switches that keep the application small while only its tray is there (docs/decisions/0019). Electron takes them
 * until it is ready.
 */
export function chromiumSwitches(platform: NodeJS.Platform): ChromiumSwitch[] {
  return [
    // A process less. Only the window's own files and updates pass through Chromium's network: the services use undici.
    { name: 'enable-features', value: 'NetworkServiceInProcess2' },
    ...(platform === 'linux'
      ? [
          // The window is drawn by the processor: a driver for the few pixels of it takes more memory than all its pages.
          { name: 'disable-gpu', value: '' },
          { name: 'disable-software-rasterizer', value: '' },
        ]
      : []),
  ];
}
