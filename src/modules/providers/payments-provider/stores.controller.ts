import { Body, Controller, Param, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Owner, type OwnerPrincipal } from '../../../kernel/auth/index.ts';
import { EdgeErrors, withIssues } from '../../../kernel/errors/index.ts';
import { Endpoint } from '../../../kernel/http/index.ts';
import {
  IntegrationErrors,
  IntegrationIssues,
  IntegrationParams,
  NOT_FOUND,
  type ProviderSecret,
  SelectorsService,
} from '../../integrations/index.ts';
import { OutputCut } from '../wire/index.ts';
import { PaymentsClient, type Row } from './client.ts';
import { PAYMENTS } from './manifest.ts';
import { ListStoresDto, type StoreDto, StoresDto } from './stores.dto.ts';

@ApiTags('integrations')
@Controller('organizations/:organizationId/integrations/:integrationRef/payments-provider')
export class StoresController {
  constructor(private readonly selectors: SelectorsService) {}

  @Post('stores')
  @Endpoint({
    summary: 'List the stores to choose from',
    description:
      'Asks the payments provider, with a key that is given or the stored one, for at most 200 stores. Nothing is stored.',
    auth: 'owner',
    scope: 'settings',
    returns: StoresDto,
    message: 'Stores listed',
    errors: [
      NOT_FOUND,
      withIssues(EdgeErrors.validationFailed, IntegrationIssues.providerRejected),
      withIssues(
        IntegrationErrors.conflict,
        IntegrationIssues.retired,
        IntegrationIssues.blocked,
        IntegrationIssues.notSupported,
        IntegrationIssues.needsCredentials,
        IntegrationIssues.credentialRefused,
      ),
      IntegrationErrors.providerUnavailable,
    ],
  })
  list(
    @Owner() owner: OwnerPrincipal,
    @Param() { organizationId, integrationRef }: IntegrationParams,
    @Body() { apiKey }: ListStoresDto,
  ): Promise<StoresDto> {
    const secret: ProviderSecret | undefined = apiKey === undefined ? undefined : { kind: 'api_key', apiKey };
    return this.selectors.choices(owner, organizationId, integrationRef, {
      kind: PAYMENTS.key,
      secret,
      given: secret ? { credential: 'apiKey', other: 'apiKey' } : {},
      ask: async ({ access, net }) => {
        const { stores, truncated } = await new PaymentsClient(access.secret, net).stores();
        return { items: stores.map(toStore), truncated };
      },
    });
  }
}

function toStore({ id, attributes }: Row): StoreDto {
  const { name, slug, domain, currency } = attributes;
  return { id, name: textOf(name) ?? '', slug: textOf(slug), domain: textOf(domain), currency: textOf(currency) };
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? new OutputCut(500).text(value) : null;
}
