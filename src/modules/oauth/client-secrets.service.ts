import { Injectable } from '@nestjs/common';
import { Config } from '../../config/index.ts';
import type { AuthorizationServer } from './authorization-server.ts';

/** What proves the deployment's clients: read from the configuration each time, so that a rotation there takes effect. */
@Injectable()
export class ClientSecretsService {
  constructor(private readonly config: Config) {}

  /** Of a client; `own` is what a registration gave. Undefined where the configuration has the client no more. */
  of({ issuer, client }: AuthorizationServer, own: string | null): string | null | undefined {
    if (client.source !== 'deployment') return own;
    const { oauth2Clients, workspaceClient } = this.config.integrations;
    const known = oauth2Clients.find((each) => each.issuer === issuer && each.clientId === client.clientId);
    if (known) return known.clientSecret ?? null;
    return workspaceClient?.clientId === client.clientId ? workspaceClient.clientSecret : undefined;
  }
}
