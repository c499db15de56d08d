import { contextBridge, type IpcRendererEvent, ipcRenderer } from 'electron';
import { createApi } from './api.ts';

const api = createApi({
  invoke: (channel, input) => ipcRenderer.invoke(channel, input),
  subscribe: (channel, listener) => {
    const hear = (_event: IpcRendererEvent, payload: unknown) => listener(payload);
    ipcRenderer.on(channel, hear);
    return () => ipcRenderer.off(channel, hear);
  },
});

contextBridge.exposeInMainWorld('causeway', api);
