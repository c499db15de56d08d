import { Button, Input, NativeSelect, Skeleton, Textarea, TextInput } from '@mantine/core';
import { lazy, Suspense } from 'react';
import layout from '../../shared/layout.module.css';
import { strings } from '../strings.ts';
import { entryNamed, type FormEntry, formEntryOf, placeOf } from './entry.ts';
import type { FormField } from './field.ts';
import styles from './form.module.css';

const SqlEditor = lazy(() => import('../sql/sql-editor.tsx').then(({ SqlEditor: editor }) => ({ default: editor })));
const texts = strings.form;

interface FieldProps {
  field: FormField;
  /** Where it is in the values, as JSON Pointer writes it. */
  place: string;
  entry: FormEntry;
  problems: ReadonlyMap<string, string>;
  onChange(entry: FormEntry): void;
}

interface SchemaFieldsProps {
  fields: readonly FormField[];
  place: string;
  entries: FormEntry;
  problems: ReadonlyMap<string, string>;
  onChange(entries: FormEntry): void;
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

function SchemaField(props: FieldProps) {
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

type ListFieldProps = FieldProps & { field: Extract<FormField, { kind: 'list' }> };

/** Any number of the same thing. */
function ListField({ field, place, entry, problems, onChange }: ListFieldProps) {
  const entries: FormEntry[] = Array.isArray(entry) ? entry : [];
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
            field={{ ...item, label: texts.item(label, number + 1) }}
            place={placeOf(place, String(number))}
            entry={one}
            problems={problems}
            onChange={(changed) => onChange(entries.map((kept, at) => (at === number ? changed : kept)))}
          />
          <Button
            variant="default"
            size="compact-sm"
            aria-label={texts.removeOf(texts.item(label, number + 1))}
            onClick={() => onChange(entries.filter((_, at) => at !== number))}
          >
            {texts.remove}
          </Button>
        </div>
      ))}
      {problem && <p className={styles.problem}>{problem}</p>}
      <div>
        <Button
          variant="default"
          size="compact-sm"
          aria-label={texts.addTo(label)}
          onClick={() => onChange([...entries, formEntryOf(item)])}
        >
          {texts.add}
        </Button>
      </div>
    </fieldset>
  );
}

type PlainFieldProps = FieldProps & { field: Exclude<FormField, { kind: 'object' | 'list' }> };

/** One value: a text, a number, a choice, yes or no, or JSON. */
function PlainField({ field, place, entry, problems, onChange }: PlainFieldProps) {
  const { label, description, required } = field;
  const value = typeof entry === 'string' ? entry : '';
  const shared = {
    label,
    description: description || undefined,
    error: problems.get(place),
    withAsterisk: required,
    value,
  };
  switch (field.kind) {
    case 'boolean':
    case 'choice':
      return (
        <NativeSelect
          {...shared}
          data={[...(required ? [] : [{ value: '', label: texts.notSet }]), ...optionsOf(field)]}
          onChange={({ currentTarget }) => onChange(currentTarget.value)}
        />
      );
    case 'number':
      return (
        <TextInput
          {...shared}
          inputMode={field.whole ? 'numeric' : 'decimal'}
          autoComplete="off"
          onChange={({ currentTarget }) => onChange(currentTarget.value)}
        />
      );
    case 'text':
      if (field.input === 'date') {
        return <TextInput {...shared} type="date" onChange={({ currentTarget }) => onChange(currentTarget.value)} />;
      }
      if (field.input === 'sql')
        return <SqlField field={field} entry={value} error={shared.error} onChange={onChange} />;
      return (
        <Textarea
          {...shared}
          autosize
          minRows={1}
          maxRows={8}
          onChange={({ currentTarget }) => onChange(currentTarget.value)}
        />
      );
    case 'json':
      return (
        <Textarea
          {...shared}
          description={[description, texts.json].filter(Boolean).join(' ')}
          classNames={{ input: styles.json ?? '' }}
          autosize
          minRows={2}
          maxRows={8}
          spellCheck={false}
          onChange={({ currentTarget }) => onChange(currentTarget.value)}
        />
      );
  }
}

function optionsOf(field: Extract<FormField, { kind: 'boolean' | 'choice' }>): { value: string; label: string }[] {
  if (field.kind === 'choice') return field.options.map(({ label }, place) => ({ value: String(place), label }));
  return [
    { value: 'yes', label: texts.yes },
    { value: 'no', label: texts.no },
  ];
}

interface SqlFieldProps {
  field: PlainFieldProps['field'];
  entry: string;
  error: string | undefined;
  onChange(entry: string): void;
}

/** SQL in an editor of several lines, which is loaded when the first one is shown. */
function SqlField({ field: { label, description, required }, entry, error, onChange }: SqlFieldProps) {
  return (
    <Input.Wrapper
      labelElement="div"
      label={label}
      description={[description, strings.try.sqlHint].filter(Boolean).join(' ')}
      error={error}
      withAsterisk={required}
    >
      <Suspense fallback={<Skeleton height={112} aria-label={strings.try.loadingEditor} />}>
        <SqlEditor label={label} value={entry} isInvalid={error !== undefined} onChange={onChange} />
      </Suspense>
    </Input.Wrapper>
  );
}
