import { type UseMutationResult, useQueryClient } from '@tanstack/react-query';
import type { Reply, Settings, SettingsState } from '../../preload/contract.ts';
import { useAction } from '../shared/answered.ts';
import { useSubscription } from '../shared/use-desktop-state.ts';

export const SETTINGS_KEY = ['settings'];

/** Changes something and shows what the settings are then. */
export function useSettingsRequest<Input>(
  ask: (input: Input) => Promise<Reply<SettingsState>>,
): UseMutationResult<SettingsState, Error, Input> {
  const queries = useQueryClient();
  return useAction(
    (input: Input) => ask(input),
    (state) => queries.setQueryData(SETTINGS_KEY, state),
  );
}

/** Changes one of the settings. */
export function useSettingsChange(): UseMutationResult<SettingsState, Error, Partial<Settings>> {
  return useSettingsRequest((change) => window.causeway.request.changeSettings(change));
}

/** Shows what was changed outside the screen. */
export function useSettingsEvents(): void {
  useSubscription(SETTINGS_KEY, window.causeway.on.settingsChanged);
}
