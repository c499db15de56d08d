/** A preload: from the program's first line on, it can open no more than `FREE_FILES` files at a time. */
const { closeSync, openSync } = require('node:fs');

const held = [];
try {
  for (;;) held.push(openSync('/dev/null', 'r'));
} catch {
  for (const file of held.splice(-Number(process.env.FREE_FILES))) closeSync(file);
}
