/** Adds and removes an entry in the files of a home folder, for ever or as often as it is told, for the server of that name. Prints a dot for each. */
import { ClientsService } from '../../../main/clients/service.ts';
import { inOneLine } from '../../../main/words/failure.ts';
import { GENIE, SQL } from './own-clients.ts';

// A file that may not grow further is to be an error of writing, not the end of the process.
process.on('SIGXFSZ', () => {});

const [home = '', command = '', times = 'Infinity', name = SQL.name] = process.argv.slice(2);
const server = [SQL, GENIE].find((each) => each.name === name) ?? SQL;
const env = process.env;
const service = new ClientsService({
  env,
  environment: { system: 'linux', home, env },
  launcher: { command, prefix: [], prepare: async () => {}, keepCurrent: async () => {} },
  running: async () => new Set(),
});

for (let round = 0; round < Number(times); round += 1) {
  const present = (await service.survey([server])).some(({ files }) => files[0]?.entries[server.name] === 'current');
  const outcomes = await (present ? service.remove([], [server.name]) : service.add([], [server]));
  for (const { error } of outcomes) if (error) process.stderr.write(`${error.code}: ${inOneLine(error)}\n`);
  process.stdout.write('.');
}
