import { Skeleton } from '@mantine/core';
import { IconChevronRight } from '@tabler/icons-react';
import { type KeyboardEvent, type ReactNode, type Ref, useId, useRef } from 'react';
import { Icon } from './icon.tsx';
import layout from './layout.module.css';
import styles from './options.module.css';
import { SearchField } from './search-field.tsx';
import { strings } from './strings.ts';

interface OptionsProps {
  label: string;
  isBusy: boolean;
  /** A short list takes no more room than it needs, and its name is seen. */
  isShort?: boolean;
  children: ReactNode;
}

interface SearchableOptionsProps extends OptionsProps {
  placeholder: string;
  text: string;
  onText(text: string): void;
  /** Enter in the search; left to the form around it if left out. */
  onEnter?(event: KeyboardEvent): void;
  autoFocus?: boolean;
}

/** A search, and what it finds to choose from; the arrow key leads from the one into the other. */
export function SearchableOptions({ placeholder, text, onText, onEnter, autoFocus, ...rest }: SearchableOptionsProps) {
  const list = useRef<HTMLFieldSetElement>(null);
  const intoList = (event: KeyboardEvent) => {
    if (event.key === 'Enter') return onEnter?.(event);
    if (event.key !== 'ArrowDown') return;
    event.preventDefault();
    const options = [...(list.current?.querySelectorAll<HTMLElement>('input, button') ?? [])];
    const option = options.find((one) => one instanceof HTMLInputElement && one.checked) ?? options[0];
    option?.focus();
    if (option instanceof HTMLInputElement && !option.checked) option.click();
  };
  return (
    <>
      <SearchField
        aria-label={strings.search(rest.label)}
        placeholder={placeholder}
        value={text}
        onChange={onText}
        onKeyDown={intoList}
        data-autofocus={autoFocus || undefined}
      />
      <Options ref={list} {...rest} />
    </>
  );
}

/** Things of which one is chosen, or opened. */
export function Options({ label, isBusy, isShort, children, ref }: OptionsProps & { ref?: Ref<HTMLFieldSetElement> }) {
  const id = useId();
  return (
    <div>
      <p id={id} className={isShort ? styles.label : layout.unseen}>
        {label}
      </p>
      <fieldset ref={ref} className={styles.list} aria-labelledby={id} aria-busy={isBusy} data-short={isShort}>
        {children}
      </fieldset>
    </div>
  );
}

interface OptionProps {
  /** Shared by those of which one is chosen. */
  group: string;
  value: string;
  chosen: boolean;
  onChoose(): void;
  title: string;
  /** What stands beneath its title. */
  children?: ReactNode;
}

export function Option({ group, value, chosen, onChoose, title, children }: OptionProps) {
  return (
    <label className={styles.option} data-chosen={chosen}>
      <input type="radio" name={group} value={value} checked={chosen} onChange={onChoose} />
      <span className={layout.name}>{title}</span>
      {children && <span className={styles.about}>{children}</span>}
    </label>
  );
}

/** What leads further when it is pressed. */
export function OpeningOption({ title, about, onOpen }: { title: string; about: string; onOpen(): void }) {
  return (
    <button type="button" className={styles.open} onClick={onOpen}>
      <span className={layout.name}>{title}</span>
      {about && <span className={layout.quiet}>{about}</span>}
      <Icon of={IconChevronRight} />
    </button>
  );
}

/** Placeholders for options that are still loading. */
export function OptionsToCome() {
  return ['first', 'second', 'third'].map((row) => <Skeleton key={row} height={56} mb={8} />);
}
