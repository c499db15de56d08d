import { VERSION } from './version.ts';

/**
 * The names under which npm's registry has Causeway: none. What is called `causeway` there belongs to somebody else, and would
 * run beside the user's tokens. No text, entry or manifest names a package that is not in this list (docs/decisions/0022-no-name-on-npm.md).
 */
export const NAMES_ON_NPM: readonly string[] = [];

/**
 * The packaged command's own name, which npm's registry gives to nobody: new names may not have capital letters. So npm finds
 * nothing there that could take the place of an installed command.
 */
export const PACKAGE_NAME = 'Causeway-command';

/** The file of the packaged command, which npm installs by its path or address. */
export const PACKAGE_FILE = `causeway-${VERSION}.tgz`;
