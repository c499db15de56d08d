import type { EventStore, JSONRPCMessage } from '@modelcontextprotocol/server';

/** The events of a session's streams, so that each has an id and a broken stream can be taken up after any of them. */
export class EventLog implements EventStore {
  readonly #events: { streamId: string; message: JSONRPCMessage }[] = [];

  async storeEvent(streamId: string, message: JSONRPCMessage): Promise<string> {
    this.#events.push({ streamId, message });
    return String(this.#events.length);
  }

  async getStreamIdForEventId(eventId: string): Promise<string | undefined> {
    return this.#events[Number(eventId) - 1]?.streamId;
  }

  async replayEventsAfter(
    lastEventId: string,
    { send }: { send: (eventId: string, message: JSONRPCMessage) => Promise<void> },
  ): Promise<string> {
    const streamId = await this.getStreamIdForEventId(lastEventId);
    if (streamId === undefined) throw new Error(`There is no event ${lastEventId}.`);
    for (const [index, event] of this.#events.entries()) {
      if (index >= Number(lastEventId) && event.streamId === streamId) await send(String(index + 1), event.message);
    }
    return streamId;
  }
}
