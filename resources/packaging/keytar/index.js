const { join } = require('node:path');

/** Stands for the npm package in the installed application, which shares one native module with the `causeway` command. */
module.exports = require(join(process.resourcesPath, 'bin', 'keyring.node'));
