import { Button } from '@mantine/core';
import { type UseInfiniteQueryResult, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useEffect, useId, useState } from 'react';
import type { CatalogEntry, CatalogQuery } from '../../../preload/contract.ts';
import { unwrap } from '../../shared/answered.ts';
import layout from '../../shared/layout.module.css';
import { FailureNotice, InSight, Notice } from '../../shared/notice.tsx';
import { OpeningOption, Option, Options, OptionsToCome, SearchableOptions } from '../../shared/options.tsx';
import { strings } from '../strings.ts';
import { asJob } from '../use-job.ts';

const words = strings.browse;

/** What every choice of a target in the workspace is given. */
export interface ChooseProps {
  profile: string;
  target: string | null;
  onChoose(target: string | null): void;
}

interface CatalogListProps extends ChooseProps {
  label: string;
  query: CatalogQuery;
  /** What it means that nothing is there. */
  nothing: string;
  /** Offered before everything else. */
  whole?: { target: string; title: string };
  /** Offers the schemas of what is found too. */
  wholeSchemas?: boolean;
  /** Says so where the managed server cannot search what is chosen. */
  checkSearchable?: boolean;
  /** Shown only if there is something: not every workspace has it. */
  optional?: boolean;
  /** What is chosen, by the name of what is found; that name itself if left out. */
  targetOf?(name: string): string;
  /** Leads further into the catalog instead of choosing. */
  onOpen?(name: string): void;
}

/** How many things fill a list before more are asked for. */
const FILLED = 50;

/** A list of the workspace that can be searched, and from which one thing is chosen or opened. */
export function CatalogList(props: CatalogListProps) {
  const { profile, target, onChoose, label, query, nothing, whole, wholeSchemas, checkSearchable, optional } = props;
  const { targetOf = (name) => name, onOpen } = props;
  const group = useId();
  const [text, setText] = useState('');
  const {
    data = [],
    error,
    isPending,
    isFetchNextPageError,
    hasNextPage,
    isFetchingNextPage,
    fetchNextPage,
    refetch,
  } = useCatalog(profile, query);
  const found = matching(data, text);
  const first = [...(whole ? [{ ...whole, about: '' }] : []), ...(wholeSchemas ? matching(schemasOf(data), text) : [])];
  // Parts may be as short as the workspace likes: a list is filled, and a search continues until it has found something.
  const enough = text === '' ? FILLED : 1;
  /** More of it could not be had. What is there stays. */
  const hasStopped = isFetchNextPageError && !isFetchingNextPage;
  const goesOn = found.length < enough && hasNextPage && !isFetchingNextPage && !error;
  useEffect(() => {
    if (goesOn) void fetchNextPage();
  }, [goesOn, fetchNextPage]);
  if (optional && data.length === 0) return null;

  const option = ({ target: name, title, about }: CatalogEntry) => (
    <Option
      key={name}
      group={group}
      value={name}
      chosen={targetOf(name) === target}
      onChoose={() => onChoose(targetOf(name))}
      title={title}
    >
      {about}
    </Option>
  );
  const list = (
    <>
      {isPending && <OptionsToCome />}
      {!isFetchNextPageError && <FailureNotice error={error} onRetry={refetch} />}
      {first.map(option)}
      {found.map((each) =>
        onOpen ? (
          <OpeningOption key={each.target} title={each.title} about={each.about} onOpen={() => onOpen(each.title)} />
        ) : (
          option(each)
        ),
      )}
      {!isPending && !error && found.length === 0 && !hasNextPage && (
        <p className={layout.quiet}>{text === '' ? nothing : words.noMatch(text)}</p>
      )}
      {hasNextPage && !hasStopped && (
        <Button variant="subtle" size="compact-sm" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {words.more}
        </Button>
      )}
    </>
  );
  return (
    <div className={layout.stack}>
      {optional ? (
        <Options label={label} isBusy={isPending} isShort>
          {list}
        </Options>
      ) : (
        <SearchableOptions
          label={label}
          placeholder={words.search}
          isBusy={isPending}
          text={text}
          onText={setText}
          // A search is not yet a choice.
          onEnter={(event) => event.preventDefault()}
        >
          {list}
        </SearchableOptions>
      )}
      {hasStopped && (
        <InSight>
          <FailureNotice error={error} onRetry={fetchNextPage} />
        </InSight>
      )}
      {checkSearchable && target !== null && <Searchable profile={profile} index={target} />}
    </div>
  );
}

/** Warns of an index whose embeddings the workspace does not make. A whole schema is not asked about. */
function Searchable({ profile, index }: { profile: string; index: string }) {
  const searchable = useQuery({
    queryKey: ['searchable', profile, index],
    queryFn: ({ signal }) =>
      asJob(signal, (job) => unwrap(window.causeway.request.isSearchable({ job, profile, index }))),
    enabled: index.split('.').length === 3,
  });
  if (searchable.data !== false) return null;
  return <Notice tone="note" message={words.ownEmbeddings(index)} remedy={words.ownEmbeddingsRemedy} />;
}

/** The entries of a catalog query, page by page. Leaving the list cancels the request in flight. */
function useCatalog(profile: string, query: CatalogQuery): UseInfiniteQueryResult<CatalogEntry[]> {
  return useInfiniteQuery({
    queryKey: ['browse', profile, query],
    queryFn: ({ pageParam, signal }) =>
      asJob(signal, (job) => unwrap(window.causeway.request.browse({ job, profile, query, from: pageParam }))),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    select: ({ pages }) => pages.flatMap(({ items }) => items),
    gcTime: 0,
  });
}

/** Those that a text is part of: its title, what its owner says, or its full name. */
function matching(found: readonly CatalogEntry[], text: string): CatalogEntry[] {
  const wanted = text.trim().toLowerCase();
  return found.filter((each) => `${each.title} ${each.about} ${each.target}`.toLowerCase().includes(wanted));
}

/** The schemas of what has a name like `catalog.schema.name`, each to be chosen as a whole. */
function schemasOf(found: readonly CatalogEntry[]): CatalogEntry[] {
  const schemas = new Set(found.map(({ target }) => target.split('.').slice(0, 2).join('.')));
  return [...schemas].map((target) => ({ target, title: words.allIndexes(target), about: '' }));
}
