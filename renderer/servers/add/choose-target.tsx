import { useState } from 'react';
import { pathOfRow } from '../../../preload/contract/server-kinds.ts';
import type { ServerKind } from '../../../preload/contract.ts';
import { TextField } from '../../shared/form.tsx';
import layout from '../../shared/layout.module.css';
import { strings } from '../strings.ts';
import styles from './add.module.css';
import { CatalogList, type ChooseProps } from './catalog-list.tsx';

const words = strings.browse;

/** Where one looks for what a server of that kind is to show. */
export function ChooseTarget({ kind, ...choose }: ChooseProps & { kind: ServerKind }) {
  switch (kind) {
    case 'sql':
      return null;
    case 'genie':
      return <CatalogList {...choose} label={words.spaces} query={{ what: 'genie-spaces' }} nothing={words.noSpaces} />;
    case 'vector-search':
      return (
        <CatalogList
          {...choose}
          label={words.indexes}
          query={{ what: 'indexes' }}
          wholeSchemas
          checkSearchable
          nothing={words.noIndexes}
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
        label={words.path}
        description={words.pathHint}
        value={target ?? ''}
        onChange={(path) => onChoose(path.trim() === '' ? null : path)}
        spellCheck={false}
      />
      <CatalogList
        profile={profile}
        target={target}
        onChoose={onChoose}
        label={words.services}
        query={{ what: 'services' }}
        targetOf={(name) => pathOfRow('service', [name])}
        optional
        nothing=""
      />
      <CatalogList
        profile={profile}
        target={target}
        onChoose={onChoose}
        label={words.connections}
        query={{ what: 'connections' }}
        targetOf={(name) => pathOfRow('connection', [name])}
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
      <nav aria-label={words.place} className={styles.place}>
        {[words.catalogs, ...place].map((name, depth) =>
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
          label={words.catalogs}
          query={{ what: 'catalogs' }}
          onOpen={(name) => go([name])}
          nothing={words.noCatalogs}
        />
      )}
      {catalog !== undefined && schema === undefined && (
        <CatalogList
          {...shared}
          key={catalog}
          label={words.schemas(catalog)}
          query={{ what: 'schemas', catalog }}
          onOpen={(name) => go([catalog, name])}
          nothing={words.noSchemas(catalog)}
        />
      )}
      {catalog !== undefined && schema !== undefined && (
        <CatalogList
          {...shared}
          key={`${catalog}.${schema}`}
          label={words.functions(`${catalog}.${schema}`)}
          query={{ what: 'functions', catalog, schema }}
          whole={{ target: `${catalog}.${schema}`, title: words.allFunctions(`${catalog}.${schema}`) }}
          nothing={words.noFunctions(`${catalog}.${schema}`)}
        />
      )}
    </div>
  );
}
