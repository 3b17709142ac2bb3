import { Controller, Get, Head, Param } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Owner, type OwnerPrincipal } from '../../../kernel/auth/index.ts';
import { Endpoint, type Picture } from '../../../kernel/http/index.ts';
import { OrganizationParams } from '../organization.dto.ts';
import { OrganizationIconService } from './organization-icon.service.ts';

/** GET and HEAD alike. */
const ICON = {
  description:
    'The icon that the organization’s website declares: its icons, touch icons and those of its web manifest, else one at a usual path. PNG, WebP, AVIF, JPEG, GIF, BMP, ICO, or SVG without scripts and references to elsewhere. The website is asked at most once an hour, so the first call may take eight seconds.',
  auth: 'owner',
  scope: 'read',
  picture: { message: 'The icon', none: 'No website is saved, or no icon was found on it' },
} as const;

@ApiTags('organizations')
@Controller('organizations/:organizationId/icon')
export class OrganizationIconController {
  constructor(private readonly icons: OrganizationIconService) {}

  @Get()
  @Endpoint({ operationId: 'organizations.icon', summary: 'Show an organization’s icon', ...ICON })
  icon(@Owner() owner: OwnerPrincipal, @Param() { organizationId }: OrganizationParams): Promise<Picture> {
    return this.icons.read(owner, organizationId);
  }

  @Head()
  @Endpoint({ operationId: 'organizations.iconHead', summary: 'Read the headers of an organization’s icon', ...ICON })
  iconHead(@Owner() owner: OwnerPrincipal, @Param() { organizationId }: OrganizationParams): Promise<Picture> {
    return this.icons.read(owner, organizationId);
  }
}
