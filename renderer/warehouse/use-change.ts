import { useMutation } from '@tanstack/react-query';
import type { Reply } from '../../preload/contract.ts';
import { answered } from '../shared/answered.ts';

/** Sends one change and tells when it is done: main has read the effective warehouse anew by then. */
export function useChange<Input = void>(send: (input: Input) => Promise<Reply<undefined>>, onDone: () => void) {
  return useMutation({ mutationFn: (input: Input) => answered(send(input)), onSuccess: onDone });
}
