import layout from '../../shared/layout.module.css';
import type { Entry } from './entry.ts';
import { entryNamed, placeOf } from './entry.ts';
import type { Field } from './field.ts';
import styles from './form.module.css';
import { ListField } from './list-field.tsx';
import { PlainField } from './plain-field.tsx';

export interface FieldProps {
  field: Field;
  /** Where it stands in the values, as JSON Pointer writes it. */
  place: string;
  entry: Entry;
  problems: ReadonlyMap<string, string>;
  onChange(entry: Entry): void;
}

interface SchemaFieldsProps {
  fields: readonly Field[];
  place: string;
  entries: Entry;
  problems: ReadonlyMap<string, string>;
  onChange(entries: Entry): void;
}

/** A control for each field, one below the other. */
export function SchemaFields({ fields, place, entries, problems, onChange }: SchemaFieldsProps) {
  return fields.map((field) => (
    <SchemaField
      key={field.name}
      field={field}
      place={placeOf(place, field.name)}
      entry={entryNamed(entries, field.name) ?? ''}
      problems={problems}
      onChange={(entry) => onChange({ ...(typeof entries === 'object' ? entries : {}), [field.name]: entry })}
    />
  ));
}

export function SchemaField(props: FieldProps) {
  const { field, place, entry, problems, onChange } = props;
  if (field.kind === 'list') return <ListField {...props} field={field} />;
  if (field.kind !== 'object') return <PlainField {...props} field={field} />;
  return (
    <fieldset className={styles.group}>
      <legend>{field.label}</legend>
      {field.description && <p className={layout.quiet}>{field.description}</p>}
      <SchemaFields fields={field.fields} place={place} entries={entry} problems={problems} onChange={onChange} />
    </fieldset>
  );
}
