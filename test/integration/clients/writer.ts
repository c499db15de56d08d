/** Adds and removes an entry in the files of a home folder, for ever or as often as it is told. Prints a dot for each. */
import { ClientsService } from '../../../main/clients/service.ts';
import { inOneLine } from '../../../main/platform/errors.ts';
import { SQL } from './own-clients.ts';

// A file that may not grow further is to be an error of writing, not the end of the process.
process.on('SIGXFSZ', () => {});

const [home = '', command = '', times = 'Infinity'] = process.argv.slice(2);
const env = process.env;
const service = new ClientsService({
  env,
  surroundings: { system: 'linux', home, env },
  launcher: { command, prefix: [], prepare: async () => {}, keepCurrent: async () => {} },
  running: async () => new Set(),
});

for (let round = 0; round < Number(times); round += 1) {
  const present = (await service.survey([SQL])).some(({ files }) => files[0]?.entries[SQL.name] === 'current');
  const outcomes = await (present ? service.remove([], [SQL.name]) : service.add([], [SQL]));
  for (const { error } of outcomes) if (error) process.stderr.write(`${error.code}: ${inOneLine(error)}\n`);
  process.stdout.write('.');
}
