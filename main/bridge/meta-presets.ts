import { elementsOf, frameMembers, objectOf, placeAt, wholeOf, withMembers } from './frame/edit.ts';
import { foldCase } from './frame/fold-case.ts';
import { parseFrame, scanFrame } from './frame/frame.ts';
import type { Place } from './frame/json-bytes.ts';
import type { Bridge } from './layers.ts';
import { behind } from './layers.ts';

/** Members of `_meta` by their names, such as `warehouse_id`. Managed servers take strings. */
export type MetaPresets = Readonly<Record<string, string>>;

/**
 * The same bridge, whose client's tool calls carry the presets in `params._meta`. A preset replaces the client's own member
 * of that name; everything else in a frame stays as it is.
 */
export function withMetaPresets(bridge: Bridge, presets: MetaPresets): Bridge {
  return behind(bridge, [{ toServer: (frame, next) => next(presetFrame(frame, presets)) }]);
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
  // If a name occurs twice, or in another case too, some servers read the other member, which would be the client's own.
  const plain = spelledOnce(frame, [], IN_FRAME);
  if (scanFrame(plain).method !== 'tools/call') return plain;
  const call = spelledOnce(plain, ['params'], IN_PARAMS);
  const members = JSON.stringify(presets).slice(1, -1);
  const place = placeAt(call, 'params', '_meta');
  if (!place) return withMembers(call, ['params'], `"_meta":{${members}}`);
  const preset = new Set(Object.keys(presets).map(foldCase));
  const others = objectOf(call, place, (name) => !preset.has(foldCase(name))).slice(1, -1);
  const meta = Buffer.from(others === '' ? `{${members}}` : `{${others},${members}}`);
  return Buffer.concat([call.subarray(0, place.start), meta, call.subarray(place.end)]);
}

const IN_FRAME = new Set(['method', 'params']);
const IN_PARAMS = new Set(['_meta']);

/** The same JSON in which the object at `path` has each of these members once, spelled as the protocol does: the last one. */
function spelledOnce(json: Buffer, path: string[], names: ReadonlySet<string>): Buffer {
  const place = placeAt(json, ...path);
  const members = place ? frameMembers(json, place).filter(({ name }) => names.has(foldCase(name))) : [];
  const isLast = (name: string, { start }: Place) =>
    members.findLast((member) => member.name === name)?.place.start === start;
  if (!place || members.every((member) => names.has(member.name) && isLast(member.name, member.place))) return json;
  const once = objectOf(
    json,
    place,
    (name, value) => !names.has(foldCase(name)) || (names.has(name) && isLast(name, value)),
  );
  return Buffer.concat([json.subarray(0, place.start), Buffer.from(once), json.subarray(place.end)]);
}
