import { dialog } from 'electron';
import type { Question } from './tray/tray-action.ts';

/** Asks in a dialog of the system. Closing it, and the key that comes first, are a no. */
export async function askPerson({ message, detail, verb }: Question): Promise<boolean> {
  const buttons = ['Cancel', verb];
  const { response } = await dialog.showMessageBox({ type: 'question', message, detail, buttons, cancelId: 0 });
  return response === 1;
}
