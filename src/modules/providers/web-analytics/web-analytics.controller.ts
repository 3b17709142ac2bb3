import { Controller, Get, Param } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Owner, type OwnerPrincipal } from '../../../kernel/auth/index.ts';
import { withIssues } from '../../../kernel/errors/index.ts';
import { Endpoint } from '../../../kernel/http/index.ts';
import {
  IntegrationErrors,
  IntegrationIssues,
  IntegrationParams,
  NOT_FOUND,
  SelectorsService,
} from '../../integrations/index.ts';
import { AnalyticsClient } from './client.ts';
import { WEB_ANALYTICS } from './manifest.ts';
import { propertyChoice } from './property-choice.ts';
import { PropertyOptionsDto } from './web-analytics.dto.ts';

@ApiTags('integrations')
@Controller('organizations/:organizationId/integrations/:integrationRef/web-analytics')
export class WebAnalyticsController {
  constructor(private readonly selectors: SelectorsService) {}

  @Get('properties')
  @Endpoint({
    summary: 'List the properties that settings may name',
    description:
      'Asks web analytics with the stored credential what the person who authorized it may read. Stores nothing.',
    auth: 'owner',
    scope: 'settings',
    returns: PropertyOptionsDto,
    errors: [
      NOT_FOUND,
      withIssues(
        IntegrationErrors.conflict,
        IntegrationIssues.notSupported,
        IntegrationIssues.retired,
        IntegrationIssues.blocked,
        IntegrationIssues.needsCredentials,
        IntegrationIssues.credentialRefused,
      ),
      IntegrationErrors.providerUnavailable,
    ],
    operationId: 'integrations.webAnalyticsProperties',
  })
  async properties(
    @Owner() owner: OwnerPrincipal,
    @Param() { organizationId, integrationRef }: IntegrationParams,
  ): Promise<PropertyOptionsDto> {
    const { items, truncated } = await this.selectors.choices(owner, organizationId, integrationRef, {
      kind: WEB_ANALYTICS.key,
      ask: ({ access, net }) => propertyChoice(new AnalyticsClient(access, net)),
    });
    return { items: [...items], truncated };
  }
}
