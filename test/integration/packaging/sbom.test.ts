import { describe, expect, it, vi } from 'vitest';
import manifest from '../../../package.json' with { type: 'json' };
import { lockedPackages, Sbom, sbomOf } from '../../../resources/packaging/sbom.ts';

const HASH_LENGTHS = new Map([
  ['SHA-256', 64],
  ['SHA-512', 128],
]);
const node = {
  'bom-ref': 'node@v24.0.0',
  type: 'platform',
  name: 'node',
  version: 'v24.0.0',
  purl: 'pkg:generic/node@v24.0.0',
  hashes: [{ alg: 'SHA-256', content: '0'.repeat(64) }],
};

describe('the software bill of materials', async () => {
  const locked = await lockedPackages();
  const versionOf = (name: string) => {
    const component = locked.components.find(({ purl }) => purl.startsWith(`pkg:npm/${name.replace('@', '%40')}@`));
    return { name, version: component?.version ?? 'not locked' };
  };
  const contained = [versionOf('react-dom'), versionOf('scheduler'), versionOf('@napi-rs/keyring')];
  const sbom = sbomOf(locked, [...contained, { name: 'Node.js', version: '24.0.0' }], node);

  it('lists what the application contains, and nothing that only builds it', () => {
    expect(sbom.components.map(({ name }) => name)).toEqual(['react-dom', 'scheduler', '@napi-rs/keyring', 'node']);
    expect(JSON.stringify(sbom)).not.toContain('cdx:npm:package:development');
    expect(sbom.metadata.component).toMatchObject({ name: 'causeway', version: manifest.version, type: 'application' });
  });

  it('is CycloneDX, with a package URL and a full hash for each component of the lockfile', () => {
    for (const { components } of [Sbom.parse(JSON.parse(JSON.stringify(sbom))), locked]) {
      expect(components.filter(({ purl }) => !/^pkg:(npm|generic)\/[^@]+@[^@]+$/.test(purl))).toEqual([]);
      const unverified = components.filter(
        ({ hashes }) =>
          hashes.length === 0 || hashes.some(({ alg, content }) => content.length !== HASH_LENGTHS.get(alg)),
      );
      expect(unverified.map(({ purl }) => purl)).toEqual([]);
    }
  });

  it('has each component once, and names only components that it lists as dependencies', () => {
    const references = sbom.components.map((component) => component['bom-ref']);
    expect(new Set(references).size).toBe(references.length);
    const known = new Set([...references, sbom.metadata.component['bom-ref']]);
    const named = sbom.dependencies.flatMap(({ ref, dependsOn = [] }) => [ref, ...dependsOn]);
    expect(named.filter((ref) => !known.has(ref))).toEqual([]);
    const scheduler = sbom.components.find(({ name }) => name === 'scheduler')?.['bom-ref'];
    expect(sbom.dependencies.find(({ ref }) => ref.startsWith('react-dom@'))?.dependsOn).toEqual([scheduler]);
  });

  it('is the same after a build that has set NODE_ENV', async () => {
    vi.stubEnv('NODE_ENV', 'production');
    const { components } = await lockedPackages();
    vi.unstubAllEnvs();
    expect(components).toHaveLength(locked.components.length);
  });

  it('is refused if the application contains a package that is not locked', () => {
    const unknown = { name: 'left-pad-twice', version: '1.2.3' };
    expect(() => sbomOf(locked, [unknown], node)).toThrow('left-pad-twice 1.2.3 is in the application');
  });
});
