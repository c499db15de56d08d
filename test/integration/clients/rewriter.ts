/**
 * Rewrites a JSON file for ever, as a client does that keeps its history there: with a number that grows, and all else as it is at
 * that moment. Prints a dot each time. `in place` writes into the file, `renamed` puts a new one in its place.
 */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';

const [file = '', form = '', pauseMs = ''] = process.argv.slice(2);

setInterval(() => {
  const text = readFileSync(file, 'utf8').replace(/"numStartups": (\d+)/, (_, count) => `"numStartups": ${+count + 1}`);
  if (form === 'in place') writeFileSync(file, text);
  else {
    writeFileSync(`${file}.tmp`, text);
    renameSync(`${file}.tmp`, file);
  }
  process.stdout.write('.');
}, Number(pauseMs));
