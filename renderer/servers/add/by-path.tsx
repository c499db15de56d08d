import { TextField } from '../../shared/form.tsx';
import layout from '../../shared/layout.module.css';
import type { ChooseProps } from './choose-props.ts';
import { ShelfList } from './shelf-list.tsx';

/** A server by its path, or one of those that the workspace lists. */
export function ByPath({ profile, target, onChoose }: ChooseProps) {
  return (
    <div className={layout.stack}>
      <TextField
        label="Path or address"
        description="As the workspace shows it under AI Gateway › MCPs, such as /api/2.0/mcp/sql"
        value={target ?? ''}
        onChange={(path) => onChoose(path.trim() === '' ? null : path)}
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
