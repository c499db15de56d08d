import { type UseMutationResult, useMutation, useQueryClient } from '@tanstack/react-query';
import type { Reply, Settings, SettingsState } from '../../preload/contract.ts';
import { answered } from '../shared/answered.ts';
import { useTold } from '../shared/told.ts';

export const SETTINGS_KEY = ['settings'];

/** Changes something and shows what the settings are then. */
export function useSettingsRequest<Input>(
  ask: (input: Input) => Promise<Reply<SettingsState>>,
): UseMutationResult<SettingsState, Error, Input> {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (input: Input) => answered(ask(input)),
    onSuccess: (state) => queries.setQueryData(SETTINGS_KEY, state),
  });
}

/** Changes one of the settings. */
export function useChange(): UseMutationResult<SettingsState, Error, Partial<Settings>> {
  return useSettingsRequest((change) => window.causeway.request.changeSettings(change));
}

/** Shows what was changed outside the screen. */
export function useSettingsEvents(): void {
  useTold(SETTINGS_KEY, window.causeway.on.settingsChanged);
}
