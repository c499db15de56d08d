import { z } from 'zod';
import manifest from '../../../package.json' with { type: 'json' };
import type { ProjectAddresses } from './application-menu.ts';

const schema = z.object({ homepage: z.url().optional(), bugs: z.object({ url: z.url() }).optional() });

/** The project's addresses as package.json has them: none before they are public (docs/decisions/0016). */
export function projectAddresses(packageJson: unknown = manifest): ProjectAddresses {
  const { homepage, bugs } = schema.parse(packageJson);
  return { homepage, bugs: bugs?.url };
}
