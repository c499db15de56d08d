import { commandsPage } from './commands.ts';
import { environmentPage } from './environment.ts';
import { exitCodesPage } from './exit-codes.ts';
import { answerSchemas, jsonPage, schemaFile } from './json.ts';
import { readProgram } from './program.ts';

/** Every file in `docs/reference/`: the texts by their paths in the repository. */
export function referenceFiles(): Map<string, string> {
  const folder = 'docs/reference';
  return new Map([
    [`${folder}/commands.md`, commandsPage(readProgram())],
    [`${folder}/json.md`, jsonPage()],
    [`${folder}/exit-codes.md`, exitCodesPage()],
    [`${folder}/environment.md`, environmentPage()],
    ...Array.from(
      answerSchemas(),
      ([name, schema]) => [`${folder}/schemas/${schemaFile(name)}`, `${JSON.stringify(schema, null, 2)}\n`] as const,
    ),
  ]);
}
