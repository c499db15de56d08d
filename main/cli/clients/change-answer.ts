import type { ChangeOutcome } from '../../clients/outcome.ts';
import type { Answer } from '../answers/answers.ts';
import { jsonFailure } from '../failure.ts';

/** What became of a client's file, as commands print it. */
export function changeAnswer(outcome: ChangeOutcome): Answer<'clients add'>['changes'][number] {
  const { client, name, file, result, diff = null, backup = null, afterwards = null } = outcome;
  const { warnings, sharedWith = [], error } = outcome;
  return {
    client,
    name,
    file,
    result,
    diff,
    afterwards,
    warnings,
    sharedWith,
    backup,
    error: error ? jsonFailure(error) : null,
  };
}
