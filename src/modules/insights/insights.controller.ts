import { Body, Controller, Get, Param, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Owner, type OwnerPrincipal } from '../../kernel/auth/index.ts';
import { CallerGone, Endpoint, Written } from '../../kernel/http/index.ts';
import { OrganizationParams } from '../organizations/index.ts';
import { QUERY, QUERY_ERRORS, RECEIPT, RECEIPT_ERRORS } from './insight-routes.ts';
import { AskersService } from './query/askers.service.ts';
import { InsightCatalogDto } from './query/insight-catalog.dto.ts';
import { InsightCatalogService } from './query/insight-catalog.service.ts';
import { OwnerInsightQueryDto } from './query/insight-query.dto.ts';
import { AnswersService } from './receipts/answers.service.ts';
import { InsightReceiptDto, ReceiptParams } from './receipts/receipt.dto.ts';
import { ReceiptsService } from './receipts/receipts.service.ts';

@ApiTags('insights')
@Controller('organizations/:organizationId/insights')
export class InsightsController {
  constructor(
    private readonly askers: AskersService,
    private readonly catalog: InsightCatalogService,
    private readonly answers: AnswersService,
    private readonly receipts: ReceiptsService,
  ) {}

  @Get('metrics')
  @Endpoint({
    summary: 'List metrics and their sources',
    description:
      'What can be asked for: each metric with how it is calculated, and each source that figures were ever collected from, with what they cover and whether it is connected now.',
    auth: 'owner',
    scope: 'read',
    returns: InsightCatalogDto,
  })
  list(@Owner() owner: OwnerPrincipal, @Param() { organizationId }: OrganizationParams): Promise<InsightCatalogDto> {
    return this.catalog.list(this.askers.of(owner, organizationId, undefined));
  }

  @Post('query')
  @Endpoint({
    summary: 'Ask for figures',
    description: QUERY,
    auth: 'owner',
    scope: 'read',
    returns: InsightReceiptDto,
    errors: QUERY_ERRORS,
  })
  async query(
    @Owner() owner: OwnerPrincipal,
    @Param() { organizationId }: OrganizationParams,
    @Body() { query }: OwnerInsightQueryDto,
    @CallerGone() gone: AbortSignal,
  ): Promise<Written> {
    return new Written(await this.answers.answer(this.askers.of(owner, organizationId, undefined), query, gone));
  }

  @Get('receipts/:receiptId')
  @Endpoint({
    summary: 'Read an answer again',
    description: RECEIPT,
    auth: 'owner',
    scope: 'read',
    returns: InsightReceiptDto,
    restates: true,
    errors: RECEIPT_ERRORS,
  })
  read(@Owner() owner: OwnerPrincipal, @Param() { organizationId, receiptId }: ReceiptParams): Promise<Written> {
    return this.receipts.read(this.askers.of(owner, organizationId, undefined), receiptId);
  }
}
