import {
  type UseMutationResult,
  type UseQueryOptions,
  type UseQueryResult,
  useMutation,
  useQuery,
} from '@tanstack/react-query';
import type { Problem, Reply } from '../../preload/contract.ts';
import { strings } from './strings.ts';

/** A request that failed in main. The window switches on `problem.code`, never on text. */
class RequestFailure extends Error {
  override readonly name = 'RequestFailure';
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.message);
    this.problem = problem;
  }
}

/** The value of a reply. @throws {RequestFailure} */
export async function unwrap<Output>(reply: Promise<Reply<Output>>): Promise<Output> {
  const settled = await reply;
  if (settled.ok) return settled.value;
  throw new RequestFailure(settled.problem);
}

/** The problem to show for an error that a request throws. */
export function problemIn(error: Error): Problem {
  if (error instanceof RequestFailure) return error.problem;
  return { code: 'internal', message: strings.noAnswer, remedy: strings.restart };
}

/** What a request answers, under a key in the window's cache. */
export function useAnswer<Output>(
  queryKey: readonly unknown[],
  request: () => Promise<Reply<Output>>,
  options: Omit<UseQueryOptions<Output>, 'queryKey' | 'queryFn'> = {},
): UseQueryResult<Output> {
  return useQuery({ queryKey, queryFn: () => unwrap(request()), ...options });
}

/** A request that is sent when the user acts. */
export function useAction<Output, Input = void>(
  request: (input: Input) => Promise<Reply<Output>>,
  onSuccess: (value: Output, input: Input) => unknown = () => undefined,
): UseMutationResult<Output, Error, Input> {
  return useMutation({ mutationFn: (input: Input) => unwrap(request(input)), onSuccess });
}
