import { policyJsonSchema } from '../../main/permissions/policy/policy-schema.ts';
import { rulesJsonSchema } from '../../main/permissions/rules.ts';
import { adml, admx } from './admx.ts';
import { profileManifest } from './profile-manifest.ts';
import { referencePage } from './reference.ts';

/** What is made from the schemas of a policy and a rules file: the texts by their paths in the repository. */
export function policyFiles(): Map<string, string> {
  const [policy, rules] = [policyJsonSchema(), rulesJsonSchema()];
  return new Map([
    ['docs/policy-reference.md', referencePage(policy, rules)],
    ['docs/policy-templates/policy.schema.json', json(policy)],
    ['docs/policy-templates/rules.schema.json', json(rules)],
    ['docs/policy-templates/causeway.admx', admx(policy)],
    ['docs/policy-templates/en-US/causeway.adml', adml(policy)],
    ['docs/policy-templates/io.causeway.plist', profileManifest(policy)],
  ]);
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
