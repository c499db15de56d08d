// Prints, when the process ends, which files it has loaded.
process.on('exit', () => process.stderr.write(`${Object.keys(require.cache).join('\n')}\n`));
