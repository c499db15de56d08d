import { join } from 'node:path';
import { app, BrowserWindow, dialog, type OpenDialogOptions, type SaveDialogOptions } from 'electron';
import type { FileOffer } from '../context.ts';
import type { TrayQuestion } from '../tray/tray-action.ts';

/** Asks where to write. It opens among the user's documents, over the window that asked. */
export async function chooseFileToSave({ title, name, kinds }: FileOffer): Promise<string | null> {
  const options: SaveDialogOptions = { title, defaultPath: join(app.getPath('documents'), name), filters: kinds };
  const window = BrowserWindow.getFocusedWindow();
  const { canceled, filePath } = await (window
    ? dialog.showSaveDialog(window, options)
    : dialog.showSaveDialog(options));
  return canceled || filePath === '' ? null : filePath;
}

/** Asks which file to read. */
export function chooseFileToOpen({ title, kinds }: FileOffer): Promise<string | null> {
  return open({ title, filters: kinds, properties: ['openFile'] });
}

/** Asks for a folder, which may be made in the dialog. */
export function chooseFolder({ title }: Pick<FileOffer, 'title'>): Promise<string | null> {
  return open({ title, properties: ['openDirectory', 'createDirectory'] });
}

async function open(options: OpenDialogOptions): Promise<string | null> {
  const window = BrowserWindow.getFocusedWindow();
  const { canceled, filePaths } = await (window
    ? dialog.showOpenDialog(window, options)
    : dialog.showOpenDialog(options));
  return canceled ? null : (filePaths[0] ?? null);
}

/** Asks in a dialog of the system. Closing it, and the key that comes first, are a no. */
export async function askPerson({ message, detail, verb }: TrayQuestion): Promise<boolean> {
  const buttons = ['Cancel', verb];
  const { response } = await dialog.showMessageBox({ type: 'question', message, detail, buttons, cancelId: 0 });
  return response === 1;
}
