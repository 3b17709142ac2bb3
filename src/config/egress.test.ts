import { expect, it } from '@jest/globals';
import { COMPLETE, configOf, expectRefusal, trialConfigOf, without } from '../../test/support/configurations.ts';
import { fileWith } from '../../test/support/folders.ts';
import { readSettings } from './index.ts';

it.each([
  ['EGRESS_PROXY', 'proxy.internal:3128'],
  ['EGRESS_PROXY', 'socks5://proxy.internal'],
  ['EGRESS_PROXY', 'http://proxy.internal/path'],
  ['EGRESS_PROXY', 'http://user:100%@proxy.internal'],
  ['EGRESS_LOCAL_PEERS', 'https://localhost:8443/'],
  ['EGRESS_LOCAL_PEERS', 'localhost:8443'],
  ['EGRESS_LOCAL_CA_FILE', 'ca.pem'],
])('refuses %s=%s in one line that names it', expectRefusal);

it('refuses local peers beside DATABASE_URL', () => {
  const peers = { EGRESS_LOCAL_PEERS: 'https://localhost:8443, http://127.0.0.1:4000' };
  expect(() => configOf({ ...COMPLETE, ...peers })).toThrow(/^EGRESS_LOCAL_PEERS: is only for trials/);
  const file = { EGRESS_LOCAL_CA_FILE: fileWith('') };
  expect(() => configOf({ ...COMPLETE, ...file })).toThrow(/^EGRESS_LOCAL_CA_FILE: is only for trials/);
  const { egress } = trialConfigOf(peers);
  expect(egress.localPeers).toEqual(['https://localhost:8443', 'http://127.0.0.1:4000']);
  expect(() => trialConfigOf({ ...peers, ...file })).toThrow(/^EGRESS_LOCAL_CA_FILE: holds no/);
});

it('does not echo the proxy, which may be given as a file', () => {
  const proxy = 'http://user:hunter2@proxy.internal:3128';
  expect(configOf({ ...COMPLETE, EGRESS_PROXY_FILE: fileWith(proxy) }).egress.proxy?.password).toBe('hunter2');
  expect(() => readSettings({ EGRESS_PROXY: `${proxy}/path` })).toThrow(without('hunter2'));
});
