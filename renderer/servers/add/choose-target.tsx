import { useState } from 'react';
import type { ServerKind } from '../../../preload/contract.ts';
import { TextField } from '../../shared/form.tsx';
import layout from '../../shared/layout.module.css';
import styles from './add.module.css';
import { CatalogList } from './catalog-list.tsx';

/** Where one looks for what a server of that kind is to show. */
export function ChooseTarget({ kind, ...choose }: ChooseProps & { kind: ServerKind }) {
  switch (kind) {
    case 'sql':
      return null;
    case 'genie':
      return (
        <CatalogList
          {...choose}
          label="Genie spaces"
          query={{ what: 'genie-spaces' }}
          nothing="There is no Genie space that you may open. Somebody has to share one with you."
        />
      );
    case 'vector-search':
      return (
        <CatalogList
          {...choose}
          label="Vector search indexes"
          query={{ what: 'indexes' }}
          wholeSchemas
          checkSearchable
          nothing="There is no vector search index that you may see."
        />
      );
    case 'functions':
      return <ChooseFunctions {...choose} />;
    case 'app':
    case 'other':
      return <ByPath {...choose} />;
  }
}

/** A server by its path, or one of those that the workspace lists. */
function ByPath({ profile, target, onChoose }: ChooseProps) {
  return (
    <div className={layout.stack}>
      <TextField
        label="Path or address"
        description="As the workspace shows it under AI Gateway › MCPs, such as /api/2.0/mcp/sql"
        value={target ?? ''}
        onChange={(path) => onChoose(path.trim() === '' ? null : path)}
        spellCheck={false}
      />
      <CatalogList
        profile={profile}
        target={target}
        onChoose={onChoose}
        label="Services of AI Gateway"
        query={{ what: 'services' }}
        targetOf={(name) => `/ai-gateway/mcp-services/${name}`}
        optional
        nothing=""
      />
      <CatalogList
        profile={profile}
        target={target}
        onChoose={onChoose}
        label="Connections to servers elsewhere"
        query={{ what: 'connections' }}
        targetOf={(name) => `/api/2.0/mcp/external/${name}`}
        optional
        nothing=""
      />
    </div>
  );
}

/** From catalog to schema to function; a whole schema may be chosen too. */
function ChooseFunctions({ profile, target, onChoose }: ChooseProps) {
  const [place, setPlace] = useState<string[]>([]);
  const [catalog, schema] = place;
  const go = (to: string[]) => {
    setPlace(to);
    onChoose(null);
  };
  const shared = { profile, target, onChoose };
  return (
    <div className={layout.stack}>
      <nav aria-label="Place in the data catalog" className={styles.place}>
        {['Catalogs', ...place].map((name, depth) =>
          depth === place.length ? (
            <span key={name} aria-current="location">
              {name}
            </span>
          ) : (
            <button key={name} type="button" className={layout.textButton} onClick={() => go(place.slice(0, depth))}>
              {name}
            </button>
          ),
        )}
      </nav>
      {catalog === undefined && (
        <CatalogList
          {...shared}
          key="catalogs"
          label="Catalogs"
          query={{ what: 'catalogs' }}
          onOpen={(name) => go([name])}
          nothing="There is no catalog that you may see. Ask its owner for the permission to use one."
        />
      )}
      {catalog !== undefined && schema === undefined && (
        <CatalogList
          {...shared}
          key={catalog}
          label={`Schemas of ${catalog}`}
          query={{ what: 'schemas', catalog }}
          onOpen={(name) => go([catalog, name])}
          nothing={`There is no schema in ${catalog} that you may see.`}
        />
      )}
      {catalog !== undefined && schema !== undefined && (
        <CatalogList
          {...shared}
          key={`${catalog}.${schema}`}
          label={`Functions of ${catalog}.${schema}`}
          query={{ what: 'functions', catalog, schema }}
          whole={{ target: `${catalog}.${schema}`, title: `All functions of ${catalog}.${schema}` }}
          nothing={`There is no function in ${catalog}.${schema} that you may call, yet.`}
        />
      )}
    </div>
  );
}

/** What everything needs with which one looks for a target in the workspace. */
export interface ChooseProps {
  profile: string;
  target: string | null;
  onChoose(target: string | null): void;
}
