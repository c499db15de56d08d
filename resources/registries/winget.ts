import { stringify } from 'yaml';
import { z } from 'zod';
import { AUTHOR, addressOf, homepageOf, LICENSE, type Release, SHORT_DESCRIPTION } from './repository.ts';

const IDENTIFIER = 'Causeway.Causeway';
const MANIFEST_VERSION = '1.10.0';
const LOCALE = 'en-US';

/**
 * Tables of what the manifests' schemas demand (github.com/microsoft/winget-cli › schemas/JSON/manifests/v1.10.0), as far as the
 * fields go that are used here; others are refused.
 */
const Identity = {
  PackageIdentifier: z
    .string()
    .max(128)
    .regex(/^[^.\s\\/:*?"<>|]{1,32}(\.[^.\s\\/:*?"<>|]{1,32}){1,7}$/),
  PackageVersion: z
    .string()
    .max(128)
    .regex(/^[^\\/:*?"<>|]+$/),
};
const manifestOf = <Type extends string>(type: Type) => ({
  ManifestType: z.literal(type),
  ManifestVersion: z.literal(MANIFEST_VERSION),
});
const Locale = z
  .string()
  .max(20)
  .regex(/^[a-zA-Z]{2,3}(-[a-zA-Z]{1,8})*$/);
const Url = z
  .string()
  .max(2048)
  .regex(/^https:\/\/.+$/);

export const WingetVersion = z.strictObject({ ...Identity, DefaultLocale: Locale, ...manifestOf('version') });

export const WingetInstaller = z.strictObject({
  ...Identity,
  Platform: z.array(z.enum(['Windows.Desktop', 'Windows.Universal'])).max(2),
  MinimumOSVersion: z.string().regex(/^\d{1,5}(\.\d{1,5}){0,3}$/),
  InstallerType: z.literal('nullsoft'),
  Scope: z.enum(['user', 'machine']),
  InstallModes: z.array(z.enum(['interactive', 'silent', 'silentWithProgress'])).max(3),
  UpgradeBehavior: z.enum(['install', 'uninstallPrevious', 'deny']),
  Protocols: z.array(z.string().max(2048)).max(64),
  ReleaseDate: z.iso.date(),
  Installers: z
    .array(
      z.strictObject({
        Architecture: z.enum(['x86', 'x64', 'arm', 'arm64', 'neutral']),
        InstallerUrl: Url,
        InstallerSha256: z.string().regex(/^[A-F0-9]{64}$/),
      }),
    )
    .min(1)
    .max(1024),
  ...manifestOf('installer'),
});

export const WingetLocale = z.strictObject({
  ...Identity,
  PackageLocale: Locale,
  Publisher: z.string().min(2).max(256),
  PublisherUrl: Url,
  PublisherSupportUrl: Url,
  PackageName: z.string().min(2).max(256),
  PackageUrl: Url,
  License: z.string().min(3).max(512),
  LicenseUrl: Url,
  ShortDescription: z.string().min(3).max(256),
  Moniker: z.string().min(1).max(40),
  Tags: z.array(z.string().min(1).max(40)).max(16),
  ReleaseNotesUrl: Url,
  ...manifestOf('defaultLocale'),
});

/** The three manifests, by their file's name. @throws ZodError where one is not as its schema demands */
export function wingetManifests(release: Release): Map<string, string> {
  const { version, date, installer } = release;
  const homepage = homepageOf(release);
  const identity = { PackageIdentifier: IDENTIFIER, PackageVersion: version };
  const versionManifest = WingetVersion.parse({
    ...identity,
    DefaultLocale: LOCALE,
    ManifestType: 'version',
    ManifestVersion: MANIFEST_VERSION,
  });
  const installerManifest = WingetInstaller.parse({
    ...identity,
    Platform: ['Windows.Desktop'],
    // What Electron's Chromium runs on.
    MinimumOSVersion: '10.0.0.0',
    InstallerType: 'nullsoft',
    Scope: 'user',
    InstallModes: ['interactive', 'silent', 'silentWithProgress'],
    UpgradeBehavior: 'install',
    Protocols: ['causeway'],
    ReleaseDate: date,
    Installers: [
      {
        Architecture: 'x64',
        InstallerUrl: addressOf(release, installer.name),
        InstallerSha256: installer.sha256.toUpperCase(),
      },
    ],
    ManifestType: 'installer',
    ManifestVersion: MANIFEST_VERSION,
  });
  const localeManifest = WingetLocale.parse({
    ...identity,
    PackageLocale: LOCALE,
    Publisher: AUTHOR,
    PublisherUrl: homepage,
    PublisherSupportUrl: `${homepage}/issues`,
    PackageName: 'Causeway',
    PackageUrl: homepage,
    License: LICENSE,
    LicenseUrl: `${homepage}/blob/v${version}/LICENSE`,
    ShortDescription: SHORT_DESCRIPTION,
    Moniker: 'causeway',
    Tags: ['databricks', 'mcp', 'model-context-protocol'],
    ReleaseNotesUrl: `${homepage}/releases/tag/v${version}`,
    ManifestType: 'defaultLocale',
    ManifestVersion: MANIFEST_VERSION,
  });
  return new Map([
    [`${IDENTIFIER}.yaml`, asYaml('version', versionManifest)],
    [`${IDENTIFIER}.installer.yaml`, asYaml('installer', installerManifest)],
    [`${IDENTIFIER}.locale.${LOCALE}.yaml`, asYaml('defaultLocale', localeManifest)],
  ]);
}

/** The first line lets editors find the schema. */
function asYaml(type: string, manifest: object): string {
  const schema = `https://aka.ms/winget-manifest.${type}.${MANIFEST_VERSION}.schema.json`;
  return `# yaml-language-server: $schema=${schema}\n\n${stringify(manifest)}`;
}
