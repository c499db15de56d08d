import { permissionsJsonSchema } from '../../main/permissions/permissions.ts';
import { policyJsonSchema } from '../../main/permissions/policy/policy-schema.ts';
import { adml, admx } from './admx.ts';
import { profileManifest } from './profile-manifest.ts';
import { referencePage } from './reference.ts';

/** What is made from the schemas of a policy and a permissions file: the texts by their paths in the repository. */
export function policyFiles(): Map<string, string> {
  const [policy, permissions] = [policyJsonSchema(), permissionsJsonSchema()];
  return new Map([
    ['docs/policy-reference.md', referencePage(policy, permissions)],
    ['docs/policy-templates/policy.schema.json', json(policy)],
    ['docs/policy-templates/permissions.schema.json', json(permissions)],
    ['docs/policy-templates/causeway.admx', admx(policy)],
    ['docs/policy-templates/en-US/causeway.adml', adml(policy)],
    ['docs/policy-templates/io.causeway.plist', profileManifest(policy)],
  ]);
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
