import type { Causeway } from '../causeway.ts';
import { clientOf } from './activity/client-process.ts';
import { createProxyList, serveProxies } from './activity/proxies.ts';
import type { DesktopContext, Shell } from './context.ts';
import { DesktopModel } from './model.ts';
import { createRequestHandlers, type RequestHandlers } from './requests.ts';

export interface DesktopOptions {
  causeway: Causeway;
  env: NodeJS.ProcessEnv;
  shell: Shell;
  /** Hears every event of the contract; the one who has a window passes it on. */
  onEvent: DesktopContext['emit'];
}

/** Everything behind tray and window, without Electron: the application and the browser tests are both built on this. */
export interface Desktop {
  model: DesktopModel;
  handlers: RequestHandlers;
  /** Begins to serve proxies and opens a profile: the one that was open last, if it is still there. */
  start(remembered: string | undefined): Promise<void>;
  /** Ends what is under way, the proxies' calls last. */
  close(): Promise<void>;
}

export function createDesktop({ causeway, env, shell, onEvent }: DesktopOptions): Desktop {
  const model = new DesktopModel(causeway);
  const context: DesktopContext = { causeway, env, model, shell, emit: onEvent };
  const handlers = createRequestHandlers(context);
  let endProxies = async (): Promise<void> => {};
  model.onChange((state) => onEvent('stateChanged', state));
  return {
    model,
    handlers,
    start: async (remembered) => {
      endProxies = serveProxies(causeway, {
        onSessions: createProxyList((proxies) => model.showProxies(proxies), clientOf),
      });
      await model.start(remembered);
    },
    close: async () => {
      await model.close();
      await endProxies();
    },
  };
}
