import type { Argument, Command, Option } from 'commander';
import { SERVER_GROUPS, SERVER_KINDS } from '../../../preload/contract/server-kinds.ts';
import { AUTH_TYPES } from '../../auth/auth.ts';
import type { KnownName } from '../../platform/name-memory.ts';
import { pathOf } from '../failure.ts';

/** The names that can occur on a command line, as they were last listed. */
export interface KnownNames {
  profiles: readonly KnownName[];
  servers: readonly KnownName[];
  clients: readonly KnownName[];
  /** The clients that identify themselves, which permissions need. */
  namedClients: readonly KnownName[];
  /** The tools of the server on the command line. */
  tools: readonly KnownName[];
  /** The warehouses of the workspace on the command line. */
  warehouses: readonly KnownName[];
  users: readonly KnownName[];
}

/** A possible completion of the word at the cursor. */
interface Candidate {
  value: string;
  description: string;
}

/** The completions at the cursor: words, or the files or folders that the shell itself finds. */
export type Completion = { kind: 'words'; candidates: Candidate[] } | { kind: 'files' } | { kind: 'folders' };

/** The possible values of an argument or an option. */
type Values = keyof KnownNames | 'files' | 'folders' | 'commands' | readonly string[];

/** The completions of a typed text that is to become one of some values. */
type Choices = (values: Values, typed: string) => Completion;

const OVERRIDE_NAMES = ['default-warehouse-overrides/me'];

/** Values by the option's long name. The values of other options are not known. */
const OPTION_VALUES: Record<string, Values> = {
  '--profile': 'profiles',
  '--server': 'servers',
  '--warehouse-id': 'warehouses',
  '--client': 'namedClients',
  '--kind': SERVER_GROUPS,
  '--on': 'tools',
  '--off': 'tools',
  '--ask': 'tools',
  '--auth-type': Object.keys(AUTH_TYPES),
  '--config-root': 'folders',
  '--results': 'files',
  '--report': 'files',
  '--export': 'files',
};

/** Values by the full name of the command and the name of the argument. */
const ARGUMENT_VALUES: Record<string, Values> = {
  'causeway help command': 'commands',
  'causeway warehouse set name': 'warehouses',
  'causeway warehouse start name': 'warehouses',
  'causeway warehouse stop name': 'warehouses',
  'causeway warehouse verify name': 'warehouses',
  'causeway warehouse list filter': 'warehouses',
  'causeway warehouse for user': 'users',
  'causeway warehouse for verb': ['show', 'set', 'last-selected', 'clear'],
  'causeway warehouse for name': 'warehouses',
  'causeway warehouse default verb': ['show', 'set', 'clear'],
  'causeway warehouse default name': 'warehouses',
  'causeway warehouse all filter': 'users',
  'causeway policy check file': 'files',
  'causeway provision file': 'files',
  'causeway warehouse import file': 'files',
  'causeway warehouse export file': 'files',
  'causeway warehouses create-default-warehouse-override DEFAULT_WAREHOUSE_OVERRIDE_ID': ['me'],
  'causeway warehouses create-default-warehouse-override TYPE': ['CUSTOM', 'LAST_SELECTED'],
  'causeway warehouses get-default-warehouse-override NAME': OVERRIDE_NAMES,
  'causeway warehouses update-default-warehouse-override NAME': OVERRIDE_NAMES,
  'causeway warehouses update-default-warehouse-override UPDATE_MASK': [
    '*',
    'type',
    'warehouse_id',
    'type,warehouse_id',
  ],
  'causeway warehouses update-default-warehouse-override TYPE': ['CUSTOM', 'LAST_SELECTED'],
  'causeway warehouses delete-default-warehouse-override NAME': OVERRIDE_NAMES,
  'causeway servers add kind': SERVER_KINDS.filter((kind) => kind !== 'other'),
  'causeway servers remove name': 'servers',
  'causeway servers move name': 'servers',
  'causeway servers test name': 'servers',
  'causeway servers start name': 'servers',
  'causeway servers sign-in name': 'servers',
  'causeway servers sign-out name': 'servers',
  'causeway permissions set server': 'servers',
  'causeway permissions clear server': 'servers',
  'causeway clients list client': 'clients',
  'causeway clients test client': 'clients',
  'causeway clients diff client': 'clients',
  'causeway clients json client': 'clients',
  'causeway clients add client': 'clients',
  'causeway clients remove client': 'clients',
  'causeway clients repair client': 'clients',
};

/** The cursor's place on the command line. */
interface Place {
  command: Command;
  /** The arguments before the cursor. */
  before: string[];
  /** The option whose value the cursor is at. */
  option: Option | undefined;
  /** Whether that option has a value already: one that takes several ends where another option begins. */
  hasValue: boolean;
  /** After `--`, nothing is an option. */
  isLiteral: boolean;
}

/**
 * What the word at the cursor may become.
 * @param words the whole words before it, without the program's name
 */
export function complete(program: Command, words: readonly string[], current: string, names: KnownNames): Completion {
  const place = placeOf(program, words);
  const choices = (values: Values, typed: string) => valuesFor(values, place, program, typed, names);
  const isOption = !place.isLiteral && current.startsWith('-');
  if (place.option && !(place.hasValue && isOption)) return choices(valuesOf(place.option), current);
  const [, flag, typed] = (isOption && /^(--[^=]+)=(.*)$/s.exec(current)) || [];
  if (flag !== undefined && typed !== undefined) return ofOption(place.command, flag, typed, choices);
  if (isOption) return fitting(optionsOf(place.command).map(optionCandidate), current);
  return argumentsAt(place, current, choices);
}

/** A subcommand or an argument. */
function argumentsAt(place: Place, current: string, choices: Choices): Completion {
  const commands = place.before.length === 0 ? subcommands(place.command) : [];
  const argument = argumentAt(place.command, place.before.length);
  const found = argument
    ? choices(argumentValues(place.command, argument), typedSoFar(place, argument, current))
    : fitting([], '');
  if (found.kind !== 'words') return found;
  return { kind: 'words', candidates: [...fitting(commands, current).candidates, ...found.candidates] };
}

function placeOf(program: Command, words: readonly string[]): Place {
  const place: Place = { command: program, before: [], option: undefined, hasValue: false, isLiteral: false };
  for (const word of words) {
    if (place.option && isValueOf(place.option, word, place)) continue;
    if (place.isLiteral || !word.startsWith('-')) addArgument(place, word);
    else if (word === '--') place.isLiteral = true;
    else beginOption(place, word);
  }
  return place;
}

/** Whether a word behind an option is its value; if it is the last one, the option ends. */
function isValueOf(option: Option, word: string, place: Place): boolean {
  const mayBeNext = option.optional || place.hasValue;
  const isValue = !(mayBeNext && word.startsWith('-'));
  place.hasValue = isValue && option.variadic;
  if (!place.hasValue) place.option = undefined;
  return isValue;
}

function beginOption(place: Place, word: string): void {
  const option = optionsOf(place.command).find(({ long, short }) => long === word || short === word);
  if (option?.required || option?.optional) place.option = option;
}

function addArgument(place: Place, word: string): void {
  const next = place.before.length === 0 ? place.command.commands.find((each) => each.name() === word) : undefined;
  if (next) place.command = next;
  else place.before.push(word);
}

/** A command's options and those of the commands around it, which it takes too. */
function optionsOf(command: Command): Option[] {
  const help = command.createOption('-h, --help', 'help for this command');
  const around: Option[] = [];
  for (let at: Command | null = command; at; at = at.parent) {
    around.push(...at.options.filter(({ long, hidden }) => !hidden && !around.some((known) => known.long === long)));
    // Only the program itself has the option for the version.
    if (at.parent?.parent === null) break;
  }
  return [...around, help];
}

function optionCandidate({ long, short, description }: Option): Candidate {
  return { value: long ?? short ?? '', description };
}

function subcommands(command: Command): Candidate[] {
  const shown = command.createHelp().visibleCommands(command);
  return shown.map((each) => ({ value: each.name(), description: each.description() }));
}

function argumentAt({ registeredArguments }: Command, index: number): Argument | undefined {
  const last = registeredArguments.at(-1);
  return registeredArguments[index] ?? (last?.variadic ? last : undefined);
}

function argumentValues(command: Command, argument: Argument): Values {
  return argument.argChoices ?? ARGUMENT_VALUES[`${pathOf(command)} ${argument.name()}`] ?? [];
}

function valuesOf(option: Option): Values {
  return option.argChoices ?? OPTION_VALUES[option.long ?? ''] ?? [];
}

/** A warehouse's name may be typed as several words: those before the cursor are its beginning. */
function typedSoFar(place: Place, argument: Argument, current: string): string {
  if (argumentValues(place.command, argument) !== 'warehouses' || !argument.variadic) return current;
  const first = place.command.registeredArguments.indexOf(argument);
  return [...place.before.slice(first), current].join(' ');
}

function ofOption(command: Command, flag: string, typed: string, choices: Choices): Completion {
  const option = optionsOf(command).find(({ long }) => long === flag);
  const found = option ? choices(valuesOf(option), typed) : fitting([], '');
  if (found.kind !== 'words') return found;
  return { kind: 'words', candidates: found.candidates.map((each) => ({ ...each, value: `${flag}=${each.value}` })) };
}

function valuesFor(values: Values, place: Place, program: Command, typed: string, names: KnownNames): Completion {
  if (values === 'files' || values === 'folders') return { kind: values };
  if (values === 'commands') {
    const at = place.before.reduce<Command | undefined>(
      (command, name) => command?.commands.find((each) => each.name() === name),
      program,
    );
    return fitting(at ? subcommands(at) : [], typed);
  }
  if (typeof values !== 'string')
    return fitting(
      values.map((value) => ({ value, description: '' })),
      typed,
    );
  const byId = place.option?.long === '--warehouse-id';
  const known = names[values].filter(({ name, id }) => canBeTyped(byId ? (id ?? '') : name));
  if (byId)
    return fitting(
      known.map(({ id = '', name }) => ({ value: id, description: name })),
      typed,
    );
  return withoutTyped(known, typed, place, values);
}

/** The candidates that begin with the typed text; if none match, ignoring case. */
function fitting(all: readonly Candidate[], typed: string): { kind: 'words'; candidates: Candidate[] } {
  const exact = all.filter(({ value }) => value.startsWith(typed));
  const lower = typed.toLowerCase();
  const candidates = exact.length > 0 ? exact : all.filter(({ value }) => value.toLowerCase().startsWith(lower));
  return { kind: 'words', candidates };
}

/** Names without the words that are already before the cursor. */
function withoutTyped(known: readonly KnownName[], typed: string, { before }: Place, values: Values): Completion {
  const { candidates } = fitting(
    known.map(({ name, id = '' }) => ({ value: name, description: id })),
    typed,
  );
  const done = values === 'warehouses' && before.length > 0 ? typed.lastIndexOf(' ') + 1 : 0;
  return { kind: 'words', candidates: candidates.map((each) => ({ ...each, value: each.value.slice(done) })) };
}

/** Whether a name can be shown as it is on one line. Other names are not offered; their ids can be used. */
function canBeTyped(text: string): boolean {
  return text !== '' && !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u.test(text);
}
