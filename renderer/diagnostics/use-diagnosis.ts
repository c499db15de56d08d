import { useAnswer } from '../shared/answered.ts';
import { useSubscription } from '../shared/use-desktop-state.ts';

const KEY = ['diagnosis'];

/** The checks with their results, kept current. */
export function useDiagnosis() {
  const { request, on } = window.causeway;
  useSubscription(KEY, on.diagnosisChanged);
  return useAnswer(KEY, () => request.getDiagnosis());
}
