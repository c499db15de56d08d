import type { Bridge } from './bridge.ts';
import { elementsOf, objectOf, placeAt, wholeOf, withMemberOnce, withMembers } from './frame/edit.ts';
import { parseFrame, scanFrame } from './frame/frame.ts';
import { interceptBridge } from './stdio.ts';

/** Members of `_meta` by their names, such as `warehouse_id`. Managed servers take strings. */
export type MetaPresets = Readonly<Record<string, string>>;

/**
 * The same bridge, whose client's tool calls carry the presets in `params._meta`. A preset replaces the client's own member
 * of that name; everything else in a frame stays as it is.
 */
export function withMetaPresets(bridge: Bridge, presets: MetaPresets): Bridge {
  return interceptBridge(bridge, (frame) => bridge.receive(presetFrame(frame, presets)));
}

/** A frame whose tool calls, in a batch too, carry the presets. */
export function presetFrame(frame: Buffer, presets: MetaPresets): Buffer {
  const elements = elementsOf(frame, wholeOf(frame)).map(({ start, end }) => frame.subarray(start, end));
  if (elements.length === 0) return presetCall(frame, presets);
  const preset = elements.map((element) => presetCall(element, presets));
  const isSame = preset.every((element, index) => element === elements[index]);
  // A line that is not JSON passes unchanged, and is refused later.
  return isSame || parseFrame(frame) === undefined ? frame : Buffer.from(`[${preset.join(',')}]`);
}

function presetCall(frame: Buffer, presets: MetaPresets): Buffer {
  if (scanFrame(frame).method !== 'tools/call') return frame;
  // If a name occurs twice, some servers read the first member, which would be the client's own.
  const call = withMemberOnce(withMemberOnce(frame, [], 'params'), ['params'], '_meta');
  const members = JSON.stringify(presets).slice(1, -1);
  const place = placeAt(call, 'params', '_meta');
  if (!place) return withMembers(call, ['params'], `"_meta":{${members}}`);
  const others = objectOf(call, place, (name) => !Object.hasOwn(presets, name)).slice(1, -1);
  const meta = Buffer.from(others === '' ? `{${members}}` : `{${others},${members}}`);
  return Buffer.concat([call.subarray(0, place.start), meta, call.subarray(place.end)]);
}
