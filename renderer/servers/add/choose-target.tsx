import type { ServerKind } from '../../../preload/contract.ts';
import { ByPath } from './by-path.tsx';
import { ChooseFunctions } from './choose-functions.tsx';
import type { ChooseProps } from './choose-props.ts';
import { ShelfList } from './shelf-list.tsx';

/** Where one looks for what a server of that kind is to show. */
export function ChooseTarget({ kind, ...choose }: ChooseProps & { kind: ServerKind }) {
  switch (kind) {
    case 'sql':
      return null;
    case 'genie':
      return (
        <ShelfList
          {...choose}
          label="Genie spaces"
          shelf={{ what: 'genie-spaces' }}
          nothing="There is no Genie space that you may open. Somebody has to share one with you."
        />
      );
    case 'vector-search':
      return (
        <ShelfList
          {...choose}
          label="Vector search indexes"
          shelf={{ what: 'indexes' }}
          wholeSchemas
          checkSearchable
          nothing="There is no vector search index that you may see."
        />
      );
    case 'functions':
      return <ChooseFunctions {...choose} />;
    case 'other':
      return <ByPath {...choose} />;
  }
}
