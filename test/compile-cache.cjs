/** A preload for programs of tests: what Node has compiled of them is kept for their next start, even if they are killed. */
const { enableCompileCache, flushCompileCache } = require('node:module');
const { tmpdir } = require('node:os');
const { join } = require('node:path');

enableCompileCache(join(tmpdir(), 'causeway-tests-compiled'));
setTimeout(flushCompileCache, 1_000).unref();
