import { contextBridge, type IpcRendererEvent, ipcRenderer } from 'electron';
import { createApi } from './api.ts';

const api = createApi({
  invoke: (channel, input) => ipcRenderer.invoke(channel, input),
  subscribe: (channel, listener) => {
    const forward = (_event: IpcRendererEvent, payload: unknown) => listener(payload);
    ipcRenderer.on(channel, forward);
    return () => ipcRenderer.off(channel, forward);
  },
});

contextBridge.exposeInMainWorld('causeway', api);
