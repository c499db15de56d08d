import { Switch } from '@mantine/core';
import { useId } from 'react';
import { Row } from './setting.tsx';
import { useSettingsRequest } from './use-change.ts';

/** Whether the system starts Causeway at login: it is the system that keeps this. */
export function StartAtLogin({ on }: { on: boolean | null }) {
  const change = useSettingsRequest((wanted: boolean) => window.causeway.request.setStartAtLogin({ on: wanted }));
  const id = useId();
  const sentence =
    on === null
      ? 'This system has no way to start applications at login.'
      : 'Causeway starts in the tray when you log in, so that AI clients find it running.';
  return (
    <Row label="Start at login" sentence={sentence} id={id} error={change.error}>
      <Switch
        id={id}
        aria-describedby={`${id}-sentence`}
        disabled={on === null}
        checked={on === true}
        onChange={({ currentTarget }) => change.mutate(currentTarget.checked)}
      />
    </Row>
  );
}
