import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readSettings } from '../../../src/config/index.ts';
import { startEmbeddedDefault } from '../../../src/embedded/index.ts';
import { ServiceProcess } from '../../support/processes/service-process.ts';
import { BOOTSTRAP_TOKEN, CAPABILITY_KEY, ENCRYPTION_KEY, SERVICE_TOKEN } from '../../support/test-app.ts';

const MADE = ['owner-token', 'agent-service-token', 'capability-key', 'encryption-key'];
const GIVEN = {
  OWNER_BOOTSTRAP_TOKEN: BOOTSTRAP_TOKEN,
  AGENT_SERVICE_TOKENS: SERVICE_TOKEN,
  CAPABILITY_KEYS: CAPABILITY_KEY,
  ENCRYPTION_KEYS: ENCRYPTION_KEY,
};
const SECRETS = [BOOTSTRAP_TOKEN, SERVICE_TOKEN, CAPABILITY_KEY.split(':')[1]!, ENCRYPTION_KEY.split(':')[1]!];

describe('credentials that the environment gives to the service with its own database', () => {
  let dataDir: string;

  beforeEach(() => {
    dataDir = join(mkdtempSync(join(tmpdir(), 'given-credentials-')), 'data');
  });
  afterEach(async () => {
    await ServiceProcess.killAll();
    rmSync(join(dataDir, '..'), { recursive: true, force: true, maxRetries: 100, retryDelay: 50 });
  });

  const made = () => readdirSync(dataDir).filter((name) => MADE.some((each) => name.startsWith(each)));
  const statuses = async (service: ServiceProcess, owner: string, runtime: string) => [
    (await service.call('GET', '/owner-tokens', owner)).status,
    (await service.call('POST', '/internal/run-requests/claim', runtime, { workerId: 'given', bootId: randomUUID() }))
      .status,
  ];

  it('are the ones that count, and are neither written nor printed', async () => {
    const file = `${dataDir}.token`;
    writeFileSync(file, `${BOOTSTRAP_TOKEN}\n`);
    const { OWNER_BOOTSTRAP_TOKEN: _, ...others } = GIVEN;
    const service = await ServiceProcess.start({
      env: { DATA_DIR: dataDir, OWNER_BOOTSTRAP_TOKEN_FILE: file, ...others },
    });
    expect(await statuses(service, BOOTSTRAP_TOKEN, SERVICE_TOKEN)).toEqual([200, 200]);
    expect(made()).toEqual([]);
    for (const secret of SECRETS) expect(service.log + service.stderr).not.toContain(secret);
    expect(service.log).toMatch(/owner token +set by OWNER_BOOTSTRAP_TOKEN\n/);
    expect(service.log).toMatch(/service token +set by AGENT_SERVICE_TOKENS\n/);
  });

  it('are made one by one, where they are not given', async () => {
    const service = await ServiceProcess.start({ env: { DATA_DIR: dataDir, AGENT_SERVICE_TOKENS: SERVICE_TOKEN } });
    const token = readFileSync(join(dataDir, 'owner-token'), 'utf8').trim();
    expect(await statuses(service, token, SERVICE_TOKEN)).toEqual([200, 200]);
    expect(made().toSorted()).toEqual(['capability-key', 'encryption-key', 'owner-token']);
    expect(service.log).toContain(token);
    expect(service.log).not.toContain(SERVICE_TOKEN);
  });

  it('count before what the folder keeps, which the start says, and which counts again without them', async () => {
    const kept = await startEmbeddedDefault(dataDir, readSettings({}));
    await kept.stop();
    expect(Object.values(kept.credentials).map(({ source }) => source)).toEqual(['made', 'made', 'made', 'made']);
    const { ownerBootstrapToken } = kept.deployment;

    const service = await ServiceProcess.start({ env: { DATA_DIR: dataDir, ...GIVEN } });
    expect(await statuses(service, BOOTSTRAP_TOKEN, SERVICE_TOKEN)).toEqual([200, 200]);
    expect((await service.call('GET', '/owner-tokens', ownerBootstrapToken)).status).toBe(401);
    for (const [setting, name] of Object.keys(GIVEN).map((each, place) => [each, MADE[place]!] as const))
      expect(service.log).toContain(`set by ${setting}; the one in ${join(dataDir, name)} is ignored`);
    for (const secret of [...SECRETS, ownerBootstrapToken]) expect(service.log).not.toContain(secret);
    service.signal('SIGTERM');
    await service.exited;

    const again = await startEmbeddedDefault(dataDir, readSettings({ CAPABILITY_KEYS: CAPABILITY_KEY }));
    await again.stop();
    expect(again.deployment.ownerBootstrapToken).toBe(ownerBootstrapToken);
    expect(again.deployment.capabilityKeys).toEqual(readSettings(GIVEN).CAPABILITY_KEYS);
    expect(Object.values(again.credentials).map(({ source, overrules }) => [source, overrules])).toEqual([
      ['kept', false],
      ['kept', false],
      ['environment', true],
      ['kept', false],
    ]);
  });

  it('are not in conflict with the same ones in the folder', async () => {
    const { credentials, stop } = await startEmbeddedDefault(dataDir, readSettings({}));
    await stop();
    const env = { OWNER_BOOTSTRAP_TOKEN: credentials.owner.value };
    const same = await startEmbeddedDefault(dataDir, readSettings(env));
    await same.stop();
    expect(same.credentials.owner).toMatchObject({ source: 'environment', overrules: false });
    expect(existsSync(credentials.owner.file)).toBe(true);
  });
});
