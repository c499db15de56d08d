import { TextInput, type TextInputProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { Footer } from './footer.tsx';
import layout from './layout.module.css';
import { ActionFailure } from './notice.tsx';

interface FormProps {
  onSubmit(): void;
  /** Why it could not be done. */
  error: Error | null;
  /** The buttons that end it, the one that submits it among them. */
  actions: ReactNode;
  children: ReactNode;
}

/** Fields, what went wrong with them, and the buttons that end it. */
export function Form({ onSubmit, error, actions, children }: FormProps) {
  return (
    <form
      noValidate
      className={layout.stack}
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      {children}
      <ActionFailure error={error} />
      <Footer>{actions}</Footer>
    </form>
  );
}

type TextFieldProps = Omit<TextInputProps, 'onChange'> & { onChange(value: string): void };

/** One line of text. */
export function TextField({ onChange, ...rest }: TextFieldProps) {
  return <TextInput autoComplete="off" {...rest} onChange={({ currentTarget }) => onChange(currentTarget.value)} />;
}
