import { NativeSelect, Textarea, TextInput } from '@mantine/core';
import type { Field } from './field.ts';
import styles from './form.module.css';
import type { FieldProps } from './schema-fields.tsx';

type PlainFieldProps = FieldProps & { field: Exclude<Field, { kind: 'object' | 'list' }> };

/** One value: a text, a number, a choice, yes or no, or JSON. */
export function PlainField({ field, place, entry, problems, onChange }: PlainFieldProps) {
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
          data={[...(required ? [] : [{ value: '', label: 'Not given' }]), ...optionsOf(field)]}
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
          description={[description, 'As JSON.'].filter(Boolean).join(' ')}
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

function optionsOf(field: Extract<Field, { kind: 'boolean' | 'choice' }>): { value: string; label: string }[] {
  if (field.kind === 'choice') return field.options.map(({ label }, place) => ({ value: String(place), label }));
  return [
    { value: 'yes', label: 'Yes' },
    { value: 'no', label: 'No' },
  ];
}
