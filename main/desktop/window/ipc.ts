import { type BrowserWindow, type IpcMainInvokeEvent, ipcMain } from 'electron';
import { channelOf } from '../../../preload/api.ts';
import { type EventName, type EventPayloads, events, type RequestName, requests } from '../../../preload/contract.ts';
import { CausewayError } from '../../platform/errors.ts';
import { problemFor } from '../failure.ts';
import { answer, type RequestHandlers } from '../requests.ts';
import { isTrustedSender } from './navigation.ts';
import { shownValues } from './shown-values.ts';

/** Answers the contract's requests. The one place that checks the sender: window, frame and origin. */
export function serveRequests(handlers: RequestHandlers, isOurWindow: (event: IpcMainInvokeEvent) => boolean): void {
  for (const name of requestNames()) {
    ipcMain.handle(channelOf(name), (event, input: unknown) => {
      const frame = event.senderFrame;
      const sender = {
        ourWindow: isOurWindow(event),
        mainFrame: frame !== null && frame.parent === null,
        url: frame?.url ?? '',
      };
      if (isTrustedSender(sender)) return answer(handlers, name, input);
      const refusal = new CausewayError('permission_denied', 'Only the Causeway window can do this.');
      return { ok: false, problem: problemFor(refusal) };
    });
  }
}

/** Sends the window an event of the contract. */
export function sendEvent<Name extends EventName>(
  window: BrowserWindow,
  name: Name,
  payload: EventPayloads[Name],
): void {
  window.webContents.send(channelOf(name), events[name].parse(shownValues(payload)));
}

function requestNames(): RequestName[] {
  return Object.keys(requests).filter((name): name is RequestName => name in requests);
}
