import { Body, Controller, Param, Put } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Owner, type OwnerPrincipal } from '../../../kernel/auth/index.ts';
import { EdgeErrors, EdgeIssues, withIssues } from '../../../kernel/errors/index.ts';
import { Endpoint } from '../../../kernel/http/index.ts';
import { IntegrationDto, IntegrationParams } from '../integration.dto.ts';
import { IntegrationErrors, IntegrationIssues, NOT_FOUND } from '../integration.errors.ts';
import { toIntegration } from '../integration-projection.ts';
import { ReportingCredentialsService } from './reporting-credentials.service.ts';
import { PutReportingCredentialDto, PutSettingsDto } from './settings.dto.ts';
import { SettingsService } from './settings.service.ts';

const REJECTED = withIssues(EdgeErrors.validationFailed, EdgeIssues.notOfKind, IntegrationIssues.providerRejected);
const UNREACHABLE = withIssues(
  EdgeErrors.validationFailed,
  EdgeIssues.notOfKind,
  IntegrationIssues.providerRejected,
  IntegrationIssues.needsIndex,
);
const CONFLICTS = [
  IntegrationIssues.retired,
  IntegrationIssues.blocked,
  IntegrationIssues.notSupported,
  IntegrationIssues.notConfigured,
  IntegrationIssues.needsCredentials,
  IntegrationIssues.credentialRefused,
  IntegrationIssues.changedMeanwhile,
];

@ApiTags('integrations')
@Controller('organizations/:organizationId/integrations/:integrationRef')
export class IntegrationSettingsController {
  constructor(
    private readonly settings: SettingsService,
    private readonly reporting: ReportingCredentialsService,
  ) {}

  @Put('settings')
  @Endpoint({
    summary: 'Set what a connector reaches',
    description:
      'The provider is asked with the stored credential whether all that the settings name is there; nothing is stored where something is not. What only reports use needs `expectedSettings` and invalidates nothing that runs hold. The same settings change nothing.',
    auth: 'owner',
    scope: 'settings',
    returns: IntegrationDto,
    message: 'Settings updated',
    errors: [
      NOT_FOUND,
      UNREACHABLE,
      withIssues(IntegrationErrors.conflict, ...CONFLICTS, IntegrationIssues.staleSettings),
      IntegrationErrors.providerUnavailable,
    ],
  })
  async update(
    @Owner() owner: OwnerPrincipal,
    @Param() { organizationId, integrationRef }: IntegrationParams,
    @Body() body: PutSettingsDto,
  ): Promise<IntegrationDto> {
    return toIntegration(await this.settings.put(owner, organizationId, integrationRef, body));
  }

  @Put('reporting-credential')
  @Endpoint({
    summary: 'Set or remove the credential of reports',
    description:
      'A second credential that only the collection of reports uses. The provider is asked whether it is good and of the account of the connection; it is stored encrypted, apart from the other one.',
    auth: 'owner',
    scope: 'settings',
    returns: IntegrationDto,
    message: 'Reporting credential updated',
    errors: [
      NOT_FOUND,
      REJECTED,
      withIssues(IntegrationErrors.conflict, ...CONFLICTS, IntegrationIssues.noSettings),
      IntegrationErrors.providerUnavailable,
    ],
  })
  async updateReportingCredential(
    @Owner() owner: OwnerPrincipal,
    @Param() { organizationId, integrationRef }: IntegrationParams,
    @Body() { credential }: PutReportingCredentialDto,
  ): Promise<IntegrationDto> {
    return toIntegration(await this.reporting.put(owner, organizationId, integrationRef, credential));
  }
}
