import { Button } from '@mantine/core';
import layout from '../../shared/layout.module.css';
import { type Entry, entryOf, placeOf } from './entry.ts';
import type { Field } from './field.ts';
import styles from './form.module.css';
import { type FieldProps, SchemaField } from './schema-fields.tsx';

type ListFieldProps = FieldProps & { field: Extract<Field, { kind: 'list' }> };

/** Any number of the same thing. */
export function ListField({ field, place, entry, problems, onChange }: ListFieldProps) {
  const entries: Entry[] = Array.isArray(entry) ? entry : [];
  const { item, label, description } = field;
  const problem = problems.get(place);
  return (
    <fieldset className={styles.group}>
      <legend>{label}</legend>
      {description && <p className={layout.quiet}>{description}</p>}
      {entries.map((one, number) => (
        // An item has nothing of its own but its place.
        // biome-ignore lint/suspicious/noArrayIndexKey: see above
        <div key={number} className={styles.item}>
          <SchemaField
            field={{ ...item, label: `${label} ${number + 1}` }}
            place={placeOf(place, String(number))}
            entry={one}
            problems={problems}
            onChange={(changed) => onChange(entries.map((kept, at) => (at === number ? changed : kept)))}
          />
          <Button
            variant="default"
            size="compact-sm"
            aria-label={`Remove ${label} ${number + 1}`}
            onClick={() => onChange(entries.filter((_, at) => at !== number))}
          >
            Remove
          </Button>
        </div>
      ))}
      {problem && <p className={styles.problem}>{problem}</p>}
      <div>
        <Button
          variant="default"
          size="compact-sm"
          aria-label={`Add to ${label}`}
          onClick={() => onChange([...entries, entryOf(item)])}
        >
          Add
        </Button>
      </div>
    </fieldset>
  );
}
