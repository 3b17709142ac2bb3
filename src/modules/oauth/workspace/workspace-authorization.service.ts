import { Injectable } from '@nestjs/common';
import { Config } from '../../../config/index.ts';
import { conflict, IntegrationIssues, type AccessMode, type AuthorizedScopes } from '../../integrations/index.ts';
import type { AskingConnector, PlannedOAuth2 } from '../planned-authorization.ts';
import { workspaceScopes } from './workspace-scopes.ts';
import { WorkspaceServerService } from './workspace-server.service.ts';

/** How the workspace, and what shares its client, is authorized. */
@Injectable()
export class WorkspaceAuthorizationService {
  constructor(
    private readonly config: Config,
    private readonly server: WorkspaceServerService,
  ) {}

  plan(
    { row }: AskingConnector,
    scopes: AuthorizedScopes,
    services: readonly string[],
    mode: AccessMode,
  ): PlannedOAuth2 {
    const client = this.config.integrations.workspaceClient;
    if (!client)
      throw conflict(
        IntegrationIssues.notConfigured,
        'The deployment has no client for this (WORKSPACE_OAUTH_CLIENT_ID); ask its operator.',
      );
    // Beside a choice of services the grant is one for all that the person granted; a fixed scope stays by itself.
    const isSuite = Object.keys(scopes.services).length > 0;
    const label = row.credential?.label;
    return {
      protocol: 'oauth2',
      server: {
        ...this.server.addresses,
        namesItself: false,
        client: {
          source: 'deployment',
          clientId: client.clientId,
          authMethod: 'client_secret_post',
          registrationId: null,
        },
      },
      scopes: workspaceScopes(scopes, services, mode),
      resource: null,
      clientSecret: null,
      asksIdentity: true,
      more: {
        access_type: 'offline',
        prompt: 'consent',
        ...(isSuite ? { include_granted_scopes: 'true' } : {}),
        ...(label === null || label === undefined ? {} : { login_hint: label }),
      },
    };
  }
}
