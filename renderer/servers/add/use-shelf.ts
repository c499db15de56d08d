import { type UseInfiniteQueryResult, useInfiniteQuery } from '@tanstack/react-query';
import type { Found, Shelf } from '../../../preload/contract.ts';
import { answered } from '../../shared/answered.ts';
import { asJob } from '../use-job.ts';

/** What a shelf holds, a part at a time; leaving it ends the look-up that is under way. */
export function useShelf(profile: string, shelf: Shelf): UseInfiniteQueryResult<Found[]> {
  return useInfiniteQuery({
    queryKey: ['browse', profile, shelf],
    queryFn: ({ pageParam, signal }) =>
      asJob(signal, (job) => answered(window.causeway.request.browse({ job, profile, shelf, from: pageParam }))),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    select: ({ pages }) => pages.flatMap(({ items }) => items),
    gcTime: 0,
  });
}

/** Those that a text is part of: its title, what its owner says, or its full name. */
export function matching(found: readonly Found[], text: string): Found[] {
  const wanted = text.trim().toLowerCase();
  return found.filter((each) => `${each.title} ${each.about} ${each.target}`.toLowerCase().includes(wanted));
}

/** The schemas of what has a name like `catalog.schema.name`, each to be chosen as a whole. */
export function schemasOf(found: readonly Found[]): Found[] {
  const schemas = new Set(found.map(({ target }) => target.split('.').slice(0, 2).join('.')));
  return [...schemas].map((target) => ({ target, title: `All indexes of ${target}`, about: '' }));
}
