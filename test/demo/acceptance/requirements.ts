import { endpointsAuthentication, endpointsErrors, endpointsProxy } from './endpoints-proxy.ts';
import { endpointsServers, endpointsService } from './endpoints-servers.ts';
import { endpointsMessages, endpointsSessions } from './endpoints-sessions.ts';
import {
  overrideAuthentication,
  overrideEndpoints,
  overrideErrors,
  overrideSubcommands,
} from './override-operations.ts';
import { overrideLifecycle, overrideRecords } from './override-records.ts';
import { overrideService, verification } from './override-service.ts';
import { heading, type Requirement } from './requirement.ts';

/** The specification, sentence by sentence, in its order. */
export const REQUIREMENTS: Requirement[] = [
  ...introduction('override'),
  ...overrideService,
  ...overrideRecords,
  ...overrideLifecycle,
  ...verification,
  ...overrideEndpoints,
  ...overrideSubcommands,
  ...overrideAuthentication,
  ...overrideErrors,
  ...introduction('endpoints'),
  ...endpointsService,
  ...endpointsServers,
  ...endpointsSessions,
  ...endpointsMessages,
  ...endpointsProxy,
  ...endpointsAuthentication,
  ...endpointsErrors,
];

function introduction(document: string): Requirement[] {
  const why = 'It says what the document is about, and requires nothing.';
  return heading(document, 0, 'Introduction', [
    { says: 'What the document covers, and what the other one does.', why },
  ]);
}
