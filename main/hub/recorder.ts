import type { Layer } from '../bridge/layers.ts';
import type { SessionRecord } from './session-record.ts';

/** Records each frame of a session before it passes. */
export function recording(record: SessionRecord): Layer {
  return {
    toServer: (frame, next) => {
      record.fromClient(frame);
      next(frame);
    },
    toClient: (frame, next) => {
      record.toClient(frame);
      next(frame);
    },
  };
}
