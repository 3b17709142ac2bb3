import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { faults, findings } from '../../support/doctor.ts';
import { fileWith, newFolder } from '../../support/folders.ts';
import { OpenIdPeer, signingKey } from '../../support/peers/openid-peer.ts';

const file = fileWith('no certificate');

describe('what the service asks outside', () => {
  let provider: OpenIdPeer;
  beforeAll(async () => {
    provider = await OpenIdPeer.start(await signingKey('ES256'));
  });
  afterAll(() => provider.stop());

  // Only a trial may have its provider on the same machine.
  const trial = () => ({ ...provider.environment(), DATA_DIR: newFolder('trial'), PORT: '0' });

  it('is an OpenID provider whose keys can be read', async () => {
    expect(await findings(trial())).toContainEqual(`ok OIDC_ISSUER: the keys of ${provider.issuer} can be read`);
  });

  it.each<[string, () => Record<string, string>, RegExp]>([
    [
      'an issuer that is written otherwise',
      () => ({ OIDC_ISSUER: `${provider.issuer}/` }),
      /^warn OIDC_ISSUER: its tokens would be answered 503: .*set OIDC_ISSUER to exactly/,
    ],
    [
      'an authority that is not known',
      () => ({ EGRESS_LOCAL_CA_FILE: '' }),
      /^warn OIDC_ISSUER: its tokens would be answered 503: .*unreachable/,
    ],
    [
      'a file of authorities that holds none',
      () => ({ EGRESS_LOCAL_CA_FILE: file }),
      /^FAIL EGRESS_LOCAL_CA_FILE: holds no readable certificate/,
    ],
    [
      'an issuer without an audience',
      () => ({ OIDC_AUDIENCE: '' }),
      /^FAIL OIDC_AUDIENCE: is required when OIDC_ISSUER is set$/,
    ],
    [
      'a proxy that is away',
      () => ({ EGRESS_PROXY: 'http://runner:CANARY-proxy@127.0.0.1:1' }),
      /^FAIL EGRESS_PROXY: no proxy answers at 127.0.0.1:1/,
    ],
  ])('is named if it is wrong: %s', async (_, env, wanted) => {
    expect(await faults({ ...trial(), ...env() })).toContainEqual(expect.stringMatching(wanted));
  });
});
