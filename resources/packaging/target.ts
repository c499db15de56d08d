/** A system and processor that a package is for, in Node's own names. */
export interface Target {
  platform: 'darwin' | 'linux' | 'win32';
  arch: 'arm64' | 'x64';
}

const PLATFORMS: Target['platform'][] = ['darwin', 'linux', 'win32'];
const ARCHS: Target['arch'][] = ['arm64', 'x64'];

/** @throws where Causeway is not built for it */
export function targetOf(platform: string, arch: string): Target {
  const knownPlatform = PLATFORMS.find((each) => each === platform);
  const knownArch = ARCHS.find((each) => each === arch);
  if (!knownPlatform || !knownArch) throw new Error(`Causeway is not built for ${platform} on ${arch}.`);
  return { platform: knownPlatform, arch: knownArch };
}

/** Whether the machine that packages could run it, too. */
export function isThisMachine({ platform, arch }: Target): boolean {
  return platform === process.platform && arch === process.arch;
}
