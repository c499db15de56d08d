import { TextInput, type TextInputProps } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { Icon } from './icon.tsx';

type SearchFieldProps = Omit<TextInputProps, 'onChange'> & { onChange(text: string): void };

/** A field that narrows a list. It looks the same wherever there is one. */
export function SearchField({ onChange, ...rest }: SearchFieldProps) {
  return (
    <TextInput
      leftSection={<Icon of={IconSearch} />}
      autoComplete="off"
      spellCheck={false}
      {...rest}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
}
