import { WorkspaceServerService } from '../../../src/modules/oauth/workspace/workspace-server.service.ts';
import type { Client } from '../client.ts';
import { BASE } from '../factories/integrations/authorized-connectors.ts';
import { LOCAL_TRIAL } from '../peers/receiver.ts';
import { AuthorizationPeer } from '../peers/authorization-peer.ts';
import type { TestApp } from '../test-app.ts';

const CALLBACK = `${BASE}/oauth/workspace/callback`;
const CLIENT = { id: 'workspace-client', secret: 'CANARY-workspace-4Kq8Zt2Vw6' };

/** A person's account at the workspace's authorization server, with the client of the deployment. */
export class AuthorizedAccount {
  private constructor(readonly issuer: AuthorizationPeer) {}

  static async start(scopes: readonly string[]): Promise<AuthorizedAccount> {
    const issuer = await AuthorizationPeer.start({
      scopes: ['openid', 'email', 'offline_access', ...scopes],
      clients: [
        {
          client_id: CLIENT.id,
          client_secret: CLIENT.secret,
          token_endpoint_auth_method: 'client_secret_post',
          redirect_uris: [CALLBACK],
          grant_types: ['authorization_code', 'refresh_token'],
        },
      ],
    });
    return new AuthorizedAccount(issuer);
  }

  get env(): Readonly<Record<string, string>> {
    return {
      ...LOCAL_TRIAL,
      EGRESS_LOCAL_PEERS: this.issuer.issuer,
      PUBLIC_BASE_URL: BASE,
      WORKSPACE_OAUTH_CLIENT_ID: CLIENT.id,
      WORKSPACE_OAUTH_CLIENT_SECRET: CLIENT.secret,
    };
  }

  /** Lets an application authorize at this server, in place of the workspace's own. */
  serve({ app }: TestApp): void {
    const { issuer: at } = this.issuer;
    Object.assign(app.get(WorkspaceServerService).addresses, {
      issuer: at,
      authorizationEndpoint: `${at}/auth`,
      tokenEndpoint: `${at}/token`,
      revocationEndpoint: `${at}/token/revocation`,
    });
  }

  /** Starts at a path of a connector, and answers where the person is sent. */
  async begin(owner: Client, path: string, body: object): Promise<URL> {
    const { status, text, body: answer } = await owner.post(`${path}/oauth/workspace/start`, body);
    if (status !== 200) throw new Error(text);
    return new URL(answer.data.authorizationUrl);
  }

  /** Lets the person authorize a connector, in a browser of this origin; the page that they end at. */
  async authorize(app: TestApp, owner: Client, path: string, body: object): Promise<string> {
    const started = await owner.post(`${path}/oauth/workspace/start`, body, { 'sec-fetch-site': 'same-origin' });
    if (started.status !== 200) throw new Error(started.text);
    const back = await this.issuer.authorize(started.body.data.authorizationUrl, CALLBACK);
    const [cookie] = String(started.headers['set-cookie']).split(';');
    return (await app.anonymous.get(back.slice(BASE.length), { cookie: cookie! })).text;
  }

  stop(): Promise<void> {
    return this.issuer.stop();
  }
}
