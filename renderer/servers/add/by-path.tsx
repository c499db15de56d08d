import { TextInput } from '@mantine/core';
import styles from './add.module.css';
import type { ChooseProps } from './choose-props.ts';
import { ShelfList } from './shelf-list.tsx';

/** A server by its path, or one of those that the workspace lists. */
export function ByPath({ profile, target, onChoose }: ChooseProps) {
  return (
    <div className={styles.form}>
      <TextInput
        label="Path or address"
        description="As the workspace shows it under AI Gateway › MCPs, such as /api/2.0/mcp/sql"
        value={target ?? ''}
        onChange={({ currentTarget }) => onChoose(currentTarget.value.trim() === '' ? null : currentTarget.value)}
        autoComplete="off"
        spellCheck={false}
      />
      <ShelfList
        profile={profile}
        target={target}
        onChoose={onChoose}
        label="Services of AI Gateway"
        shelf={{ what: 'services' }}
        targetOf={(name) => `/ai-gateway/mcp-services/${name}`}
        optional
        nothing=""
      />
      <ShelfList
        profile={profile}
        target={target}
        onChoose={onChoose}
        label="Connections to servers elsewhere"
        shelf={{ what: 'connections' }}
        targetOf={(name) => `/api/2.0/mcp/external/${name}`}
        optional
        nothing=""
      />
    </div>
  );
}
