import { useState } from 'react';
import layout from '../../shared/layout.module.css';
import styles from './add.module.css';
import type { ChooseProps } from './choose-props.ts';
import { ShelfList } from './shelf-list.tsx';

/** From catalog to schema to function; a whole schema may be chosen too. */
export function ChooseFunctions({ profile, target, onChoose }: ChooseProps) {
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
        <ShelfList
          {...shared}
          key="catalogs"
          label="Catalogs"
          shelf={{ what: 'catalogs' }}
          onOpen={(name) => go([name])}
          nothing="There is no catalog that you may see. Ask its owner for the permission to use one."
        />
      )}
      {catalog !== undefined && schema === undefined && (
        <ShelfList
          {...shared}
          key={catalog}
          label={`Schemas of ${catalog}`}
          shelf={{ what: 'schemas', catalog }}
          onOpen={(name) => go([catalog, name])}
          nothing={`There is no schema in ${catalog} that you may see.`}
        />
      )}
      {catalog !== undefined && schema !== undefined && (
        <ShelfList
          {...shared}
          key={`${catalog}.${schema}`}
          label={`Functions of ${catalog}.${schema}`}
          shelf={{ what: 'functions', catalog, schema }}
          whole={{ target: `${catalog}.${schema}`, title: `All functions of ${catalog}.${schema}` }}
          nothing={`There is no function in ${catalog}.${schema} that you may call, yet.`}
        />
      )}
    </div>
  );
}
