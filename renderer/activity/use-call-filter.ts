import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { ALL_CALLS } from '../../preload/contract/all-calls.ts';
import type { CallFilter } from '../../preload/contract.ts';
import { useAnswer } from '../shared/answered.ts';

const KEY = ['call-filter'];

/** How long after the last change the filter is stored: a search is typed letter by letter. */
const STORE_AFTER_MS = 400;

/** The filter of the calls, which stays the same across screens and restarts; null until it is read. */
export function useCallFilter(): [filter: CallFilter | null, change: (filter: CallFilter) => void] {
  const queries = useQueryClient();
  const { request } = window.causeway;
  const { data, error } = useAnswer(KEY, () => request.getCallFilter(), { staleTime: Number.POSITIVE_INFINITY });
  const store = useRef<{ timer: ReturnType<typeof setTimeout>; filter: CallFilter } | null>(null);
  const storeNow = () => {
    if (store.current === null) return;
    clearTimeout(store.current.timer);
    void request.keepCallFilter(store.current.filter);
    store.current = null;
  };
  const latest = useRef(storeNow);
  latest.current = storeNow;
  useEffect(() => () => latest.current(), []);
  // What is typed is shown at once: the cache tells of it a moment later.
  const [changed, setChanged] = useState<CallFilter | null>(null);
  const change = (filter: CallFilter) => {
    setChanged(filter);
    queries.setQueryData(KEY, filter);
    if (store.current) clearTimeout(store.current.timer);
    store.current = { filter, timer: setTimeout(() => latest.current(), STORE_AFTER_MS) };
  };
  return [changed ?? data ?? (error ? ALL_CALLS : null), change];
}
