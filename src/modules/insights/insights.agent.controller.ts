import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { AgentCaller } from '../../kernel/auth/index.ts';
import { CallerGone, Endpoint, Written } from '../../kernel/http/index.ts';
import { OrganizationParams } from '../organizations/index.ts';
import { RefreshService } from './collection/refresh.service.ts';
import { InsightErrors } from './insight.errors.ts';
import { QUERY, QUERY_ERRORS, RECEIPT, RECEIPT_ERRORS } from './insight-routes.ts';
import { type Agent, AskersService } from './query/askers.service.ts';
import { InsightCatalogDto, InsightRefreshDto } from './query/insight-catalog.dto.ts';
import { InsightCatalogService } from './query/insight-catalog.service.ts';
import { AgentInsightQueryDto, AskingProfileQuery, RefreshInsightsDto } from './query/insight-query.dto.ts';
import { AnswersService } from './receipts/answers.service.ts';
import { InsightReceiptDto, ReceiptParams } from './receipts/receipt.dto.ts';
import { ReceiptsService } from './receipts/receipts.service.ts';

const AUTH = ['service', 'execution'] as const;
const PROFILE_ERRORS = [InsightErrors.profileNotFound, InsightErrors.profileDisabled];
const WHOSE = 'Every enabled profile may read all metrics, whatever its connector grants.';

@ApiTags('Internal Agent')
@Controller('internal/agent/organizations/:organizationId/insights')
export class InsightsAgentController {
  constructor(
    private readonly askers: AskersService,
    private readonly catalog: InsightCatalogService,
    private readonly answers: AnswersService,
    private readonly receipts: ReceiptsService,
    private readonly refreshing: RefreshService,
  ) {}

  @Get('metrics')
  @Endpoint({
    summary: 'List metrics and their sources',
    description: `What can be asked for, and what was collected of it. ${WHOSE}`,
    auth: AUTH,
    returns: InsightCatalogDto,
    errors: PROFILE_ERRORS,
  })
  list(
    @AgentCaller() agent: Agent,
    @Param() { organizationId }: OrganizationParams,
    @Query() { agentProfileId }: AskingProfileQuery,
  ): Promise<InsightCatalogDto> {
    return this.catalog.list(this.askers.of(agent, organizationId, agentProfileId));
  }

  @Post('refresh')
  @Endpoint({
    summary: 'Have figures collected now',
    description:
      'Makes the sources of ready connectors due before their time. What is being collected, was collected within 15 minutes, waits for a provider or is paused stays as it is, so repeating this costs nothing. Ask again later: figures come by themselves.',
    auth: AUTH,
    scope: 'work',
    returns: InsightRefreshDto,
    message: 'Collection queued',
    errors: PROFILE_ERRORS,
  })
  async refresh(
    @AgentCaller() agent: Agent,
    @Param() { organizationId }: OrganizationParams,
    @Body() { agentProfileId }: RefreshInsightsDto,
  ): Promise<InsightRefreshDto> {
    const asker = this.askers.of(agent, organizationId, agentProfileId);
    await this.askers.requireProfile(asker);
    const { connectorKeys, ...counts } = await this.refreshing.refresh(asker.againAccess);
    return { ...counts, connectorKeys: [...connectorKeys] };
  }

  @Post('query')
  @Endpoint({
    summary: 'Ask for figures',
    description: `${QUERY} ${WHOSE}`,
    auth: AUTH,
    returns: InsightReceiptDto,
    errors: [...PROFILE_ERRORS, ...QUERY_ERRORS],
  })
  async query(
    @AgentCaller() agent: Agent,
    @Param() { organizationId }: OrganizationParams,
    @Body() { agentProfileId, query }: AgentInsightQueryDto,
    @CallerGone() gone: AbortSignal,
  ): Promise<Written> {
    return new Written(await this.answers.answer(this.askers.of(agent, organizationId, agentProfileId), query, gone));
  }

  @Get('receipts/:receiptId')
  @Endpoint({
    summary: 'Read an answer again',
    description: RECEIPT,
    auth: AUTH,
    returns: InsightReceiptDto,
    restates: true,
    errors: [...PROFILE_ERRORS, ...RECEIPT_ERRORS],
  })
  read(
    @AgentCaller() agent: Agent,
    @Param() { organizationId, receiptId }: ReceiptParams,
    @Query() { agentProfileId }: AskingProfileQuery,
  ): Promise<Written> {
    return this.receipts.read(this.askers.of(agent, organizationId, agentProfileId), receiptId);
  }
}
