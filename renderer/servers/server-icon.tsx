import {
  type Icon as Glyph,
  IconApps,
  IconDatabase,
  IconFunction,
  IconListSearch,
  IconMessageChatbot,
  IconPlugConnected,
  IconServer,
  IconWorld,
} from '@tabler/icons-react';
import type { ServerType } from '../../preload/contract.ts';
import { Icon } from '../shared/icon.tsx';
import styles from './servers.module.css';

/** The glyph of each type of server. */
export const TYPE_GLYPHS: Record<ServerType, Glyph> = {
  sql: IconDatabase,
  genie: IconMessageChatbot,
  functions: IconFunction,
  search: IconListSearch,
  service: IconPlugConnected,
  connection: IconWorld,
  app: IconApps,
  other: IconServer,
};

/** What a server is, as a glyph on a tile. Its type is beside it as a word. */
export function ServerIcon({ type }: { type: ServerType }) {
  return (
    <span className={styles.tile} aria-hidden>
      <Icon of={TYPE_GLYPHS[type]} size="navigation" />
    </span>
  );
}
