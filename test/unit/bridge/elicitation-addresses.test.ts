import { expect, test } from 'vitest';
import { unsafeAddress } from '../../../main/bridge/stateless/elicitations.ts';

test.each([
  'https://acme.cloud.databricks.com@evil.example/sign-in',
  'https://acme.cloud.databricks.com:443@evil.example/',
  'https://:secret@evil.example/',
  'http://localhost@127.0.0.1:8020/',
])('an address with a user name before its host is not passed on: %s', (url) => {
  const elicitation = { mode: 'url', url };
  const request = { method: 'elicitation/create', params: elicitation };
  const fault = expect.stringContaining('misleading');
  expect(unsafeAddress(request)).toEqual(fault);
  expect(unsafeAddress({ error: { code: -32042, data: { elicitations: [elicitation] } } })).toEqual(fault);
  expect(unsafeAddress({ result: { inputRequests: { first: request } } })).toEqual(fault);
});

test.each(['https://evil.example/@acme', 'https://evil.example/?user=ana@example.com', 'http://localhost:8020/'])(
  'an @ behind the host is no user name: %s',
  (url) => {
    expect(unsafeAddress({ method: 'elicitation/create', params: { mode: 'url', url } })).toBeUndefined();
  },
);
