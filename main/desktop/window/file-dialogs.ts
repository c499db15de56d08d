import { join } from 'node:path';
import { app, BrowserWindow, dialog, type OpenDialogOptions, type SaveDialogOptions } from 'electron';
import type { FileOffer } from '../context.ts';

/** Asks where to write. It opens among the person's documents, over the window that asked. */
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
