import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { z } from 'zod';
import manifest from '../../package.json' with { type: 'json' };
import { type LicenseNotice, notices as Notices } from '../../preload/contract/settings.ts';

const run = promisify(execFile);
const ROOT = new URL('../..', import.meta.url);
/** What npm calls a package that is only there for the build. What is listed here is in the application. */
const DEVELOPMENT = 'cdx:npm:package:development';

const Component = z.looseObject({
  'bom-ref': z.string(),
  type: z.string(),
  name: z.string(),
  version: z.string(),
  purl: z.string(),
  hashes: z.array(z.object({ alg: z.string(), content: z.string() })),
  properties: z.array(z.object({ name: z.string(), value: z.string() })).optional(),
});

/** A software bill of materials (CycloneDX 1.5, https://cyclonedx.org/docs/1.5/json/). */
export const Sbom = z.looseObject({
  bomFormat: z.literal('CycloneDX'),
  specVersion: z.literal('1.5'),
  serialNumber: z.string(),
  metadata: z.looseObject({ component: z.looseObject({ 'bom-ref': z.string(), name: z.string() }) }),
  components: z.array(Component),
  dependencies: z.array(z.object({ ref: z.string(), dependsOn: z.array(z.string()).optional() })),
});

type Sbom = z.output<typeof Sbom>;
type Component = z.output<typeof Component>;

/**
 * Writes what the application for this system consists of into `folder`, after `npm run build`.
 * @returns the file
 */
export async function writeSbom(folder: string): Promise<string> {
  const contained = Notices.parse(JSON.parse(await readFile(new URL('out/notices.json', ROOT), 'utf8')));
  const sbom = sbomOf(await lockedPackages(), contained, await nodeComponent());
  const file = join(folder, `causeway-${manifest.version}-${process.platform}.cdx.json`);
  await mkdir(folder, { recursive: true });
  await writeFile(file, `${JSON.stringify(sbom, null, 2)}\n`);
  return file;
}

/** Every package of the lockfile, as npm lists them, with the hash that the lockfile has. */
export async function lockedPackages(): Promise<Sbom> {
  // What is bundled is installed for development. Vite's build sets NODE_ENV, after which npm would leave that out.
  const listing = [
    ...['sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'application'],
    ...['--package-lock-only', '--include', 'dev'],
  ];
  // On Windows npm is a script, which only a shell runs.
  const options = { cwd: ROOT, maxBuffer: 64 * 2 ** 20, shell: process.platform === 'win32' };
  const { stdout } = await run('npm', listing, options);
  return Sbom.parse(JSON.parse(stdout));
}

/**
 * Of the lockfile's packages those that the application contains, and the Node in its command.
 * @throws Error that names a contained package of which the lockfile knows nothing
 */
export function sbomOf(locked: Sbom, contained: Pick<LicenseNotice, 'name' | 'version'>[], node: Component): Sbom {
  const byPurl = new Map(locked.components.map((component) => [component.purl, component]));
  const packages = contained.filter(({ name }) => name !== 'Node.js');
  const components = packages.map(({ name, version }) => {
    const component = byPurl.get(`pkg:npm/${name.replace('@', '%40')}@${version}`);
    if (!component) throw new Error(`${name} ${version} is in the application, but not in package-lock.json.`);
    const properties = component.properties?.filter((property) => property.name !== DEVELOPMENT) ?? [];
    return { ...component, name, scope: 'required', properties };
  });
  const all = [...components, node];
  const references = new Set(all.map((component) => component['bom-ref']));
  const application = locked.metadata.component;
  const inside = locked.dependencies
    .filter(({ ref }) => references.has(ref))
    .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((each) => references.has(each)) }));
  return {
    ...locked,
    metadata: { ...locked.metadata, component: { ...application, name: manifest.name } },
    components: all,
    dependencies: [
      { ref: application['bom-ref'], dependsOn: [...references] },
      ...inside,
      { ref: node['bom-ref'], dependsOn: [] },
    ],
  };
}

/** The Node that becomes the command, by its binary: it is not in the lockfile. */
async function nodeComponent(): Promise<Component> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(process.execPath), hash);
  const { version } = process;
  return {
    'bom-ref': `node@${version}`,
    type: 'platform',
    name: 'node',
    version,
    purl: `pkg:generic/node@${version}`,
    hashes: [{ alg: 'SHA-256', content: hash.digest('hex') }],
  };
}
