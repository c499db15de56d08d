import type { z } from 'zod';
import { CLIENTS } from '../../../clients/table.ts';
import { policyJsonSchema, policySchema } from '../../../permissions/policy/policy-schema.ts';
import { CausewayError, sentences } from '../../../platform/errors.ts';
import { didYouMean, similarNames } from '../../../platform/similar-names.ts';

/**
 * The refusal of a file that is not a policy, with what was probably meant by the first member that no policy has, or the name of an AI
 * client instead of its id; the refusal as it is if there is none, or nothing is close to it.
 */
export function withSimilarMember(refusal: unknown, bytes: Buffer): unknown {
  if (!(refusal instanceof CausewayError) || refusal.code !== 'invalid_file') return refusal;
  const suggestions = similarMembers(bytes.toString('utf8').replace(/^\uFEFF/, ''));
  if (suggestions.length === 0) return refusal;
  return new CausewayError('invalid_file', refusal.message, {
    cause: refusal,
    remedy: sentences(didYouMean(suggestions), refusal.remedy),
    candidates: suggestions.map((name) => ({ name })),
  });
}

function similarMembers(text: string): string[] {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return [];
  }
  const [first] = policySchema.safeParse(json).error?.issues ?? [];
  if (first?.code === 'invalid_format' && /^(clients|requiredClients)$/.test(String(first.path[0]))) {
    const named = first.path.reduce<unknown>(
      (at, step) => (typeof at === 'object' && at !== null ? Reflect.get(at, step) : undefined),
      json,
    );
    const id = String(named)
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '-');
    return similarNames(
      id,
      CLIENTS.map((client) => client.id),
    );
  }
  if (first?.code !== 'unrecognized_keys') return [];
  return similarNames(first.keys[0] ?? '', membersAt(policyJsonSchema(), first.path));
}

type Schema = z.core.JSONSchema.BaseSchema;

/** The members that an object at a path of a file can have. */
function membersAt(schema: Schema, [step, ...rest]: readonly PropertyKey[]): string[] {
  if (step === undefined) return Object.keys(schema.properties ?? {});
  const [element] = [schema.items].flat();
  const inside = schema.properties?.[String(step)] ?? element ?? schema.additionalProperties;
  return typeof inside === 'object' ? membersAt(inside, rest) : [];
}
