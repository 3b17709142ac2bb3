import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Config } from '../../../config/index.ts';
import { Owner, type OwnerPrincipal } from '../../../kernel/auth/index.ts';
import { withIssues } from '../../../kernel/errors/index.ts';
import { Endpoint } from '../../../kernel/http/index.ts';
import {
  IntegrationErrors,
  IntegrationIssues,
  IntegrationParams,
  NOT_FOUND,
  SelectorsService,
  toOperatingContext,
} from '../../integrations/index.ts';
import { CodeHostApps, CodeHostClient, type Repository } from './client.ts';
import { MOST_PAGES, RepositoriesDto, RepositoriesQuery, type RepositoryDto } from './code-host.dto.ts';
import { CODE_HOST, WEB_ORIGIN } from './manifest.ts';

const PAGE_SIZE = 100;

@ApiTags('integrations')
@Controller('organizations/:organizationId/integrations/:integrationRef')
export class CodeHostController {
  private readonly apps: CodeHostApps;

  constructor(
    private readonly selectors: SelectorsService,
    { integrations }: Config,
  ) {
    this.apps = new CodeHostApps(integrations);
  }

  @Get('resources')
  @Endpoint({
    summary: 'List the repositories of a code host',
    description:
      'Asks the code host with the stored credential what it reaches, a page at a time, and stores nothing. Other connectors have selectors of their own, or none.',
    auth: 'owner',
    scope: 'settings',
    returns: RepositoriesDto,
    errors: [
      NOT_FOUND,
      withIssues(
        IntegrationErrors.conflict,
        IntegrationIssues.notSupported,
        IntegrationIssues.notConfigured,
        IntegrationIssues.retired,
        IntegrationIssues.blocked,
        IntegrationIssues.needsCredentials,
        IntegrationIssues.credentialRefused,
      ),
      IntegrationErrors.providerUnavailable,
    ],
    operationId: 'integrations.resources',
  })
  resources(
    @Owner() owner: OwnerPrincipal,
    @Param() { organizationId, integrationRef }: IntegrationParams,
    @Query() { page = 1 }: RepositoriesQuery,
  ): Promise<RepositoriesDto> {
    return this.selectors.choices(owner, organizationId, integrationRef, {
      kind: CODE_HOST.key,
      ask: async ({ access, net }, { context }) => {
        const client = await CodeHostClient.of(access.secret, this.apps, net);
        const { items, hasNext } = await client.repositories(page, PAGE_SIZE);
        return {
          context: toOperatingContext(context),
          items: items.map(shown),
          nextPage: hasNext && page < MOST_PAGES ? page + 1 : null,
        };
      },
    });
  }
}

/** Its address is made of its name, not taken from the answer. */
function shown({ fullName, name, defaultBranch, isPrivate, isArchived }: Repository): RepositoryDto {
  return {
    kind: 'repository',
    externalId: fullName,
    name,
    url: `${WEB_ORIGIN}/${fullName}`,
    defaultBranch,
    private: isPrivate,
    archived: isArchived,
  };
}
