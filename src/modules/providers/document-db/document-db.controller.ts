import { Body, Controller, Param, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Owner, type OwnerPrincipal } from '../../../kernel/auth/index.ts';
import { EdgeErrors, EdgeIssues, withIssues } from '../../../kernel/errors/index.ts';
import { Endpoint } from '../../../kernel/http/index.ts';
import {
  IntegrationErrors,
  IntegrationIssues,
  IntegrationParams,
  NOT_FOUND,
  ProviderAdapters,
  type ProviderSecret,
  SelectorsService,
} from '../../integrations/index.ts';
import type { DocumentDatabases } from './document-databases.adapter.ts';
import { DocumentDbResourcesDto, InspectDocumentDbDto } from './document-db.dto.ts';
import { DOCUMENT_DB } from './manifest.ts';
import { checkDatabaseName } from './settings.ts';

@ApiTags('integrations')
@Controller('organizations/:organizationId/integrations/:integrationRef/document-db')
export class DocumentDbController {
  constructor(
    private readonly selectors: SelectorsService,
    private readonly adapters: ProviderAdapters,
  ) {}

  @Post('resources')
  @Endpoint({
    summary: 'Look what a document database holds',
    description:
      'Lists up to 50 collections of a database, and the names of fields in the first 20 documents of each, along the index of their ids. No values, and nothing is stored.',
    auth: 'owner',
    scope: 'settings',
    returns: DocumentDbResourcesDto,
    message: 'Collections listed',
    errors: [
      NOT_FOUND,
      withIssues(EdgeErrors.validationFailed, EdgeIssues.invalidText, IntegrationIssues.providerRejected),
      withIssues(
        IntegrationErrors.conflict,
        IntegrationIssues.retired,
        IntegrationIssues.blocked,
        IntegrationIssues.notSupported,
        IntegrationIssues.notConfigured,
        IntegrationIssues.needsCredentials,
        IntegrationIssues.credentialRefused,
      ),
      IntegrationErrors.providerUnavailable,
    ],
  })
  list(
    @Owner() owner: OwnerPrincipal,
    @Param() { organizationId, integrationRef }: IntegrationParams,
    @Body() { connection, databaseName: given }: InspectDocumentDbDto,
  ): Promise<DocumentDbResourcesDto> {
    const adapter = this.adapters.of(DOCUMENT_DB.key) as DocumentDatabases;
    const databaseName = checkDatabaseName(given);
    const secret: ProviderSecret | undefined = connection && {
      ...adapter.loginOf({ ...connection }, 'connection.clusterHost'),
      kind: 'srv',
    };
    return this.selectors.choices(owner, organizationId, integrationRef, {
      kind: DOCUMENT_DB.key,
      secret,
      given: { other: 'databaseName', ...(secret ? { credential: 'connection.password' } : {}) },
      ask: ({ access, net }) => adapter.sample(databaseName, access, net),
    });
  }
}
