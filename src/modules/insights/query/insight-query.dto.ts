import {
  ConvertedText,
  Formatted,
  Integer,
  Nested,
  NestedList,
  Text,
  TextList,
  TextLists,
  Uuid,
  isUuid,
} from '../../../kernel/validation/index.ts';
import { normalizeCurrency, OrganizationIssues } from '../../organizations/index.ts';
import { dayOf, type Grain, GRAINS } from '../definitions/index.ts';
import { InsightIssues } from '../insight.errors.ts';

const SOURCE = '0199c9a4-5b1e-7c3a-9f42-1c8f6f0f2a21';

export class MetricSelectionDto {
  @Text({ max: 100, example: 'payments.net_revenue' })
  key!: string;
  @Integer({ optional: true, min: 1, example: 1, description: 'Of the definition; the current one when left out' })
  version?: number;
  @TextList({
    optional: true,
    min: 1,
    max: 50,
    items: { schema: { type: 'string', format: 'uuid' }, what: 'a UUID', test: isUuid },
    example: [SOURCE],
    description: 'When left out, the preferred sources that feed the metric',
  })
  sourceIds?: string[];
}

const window = (end: 'from' | 'to', example: string, description: string) => ({
  test: (text: string) => dayOf(text, end) !== undefined,
  issue: InsightIssues.invalidWindow,
  what: 'a date, or a date-time, which counts as the date that it writes',
  max: 40,
  example,
  description,
});

export class InsightQueryDto {
  @NestedList(() => MetricSelectionDto, { min: 1, max: 20 })
  metrics!: MetricSelectionDto[];
  @Formatted(window('from', '2026-03-01', 'The first day, in the timezone of each series'))
  from!: string;
  @Formatted(
    window(
      'to',
      '2026-04-01',
      'The day behind the last, at most twelve months after `from`; rounded up to a whole day',
    ),
  )
  to!: string;
  @Formatted({
    test: (text) => GRAINS.includes(text as Grain),
    issue: InsightIssues.unsupportedGrain,
    what: 'day, week or month',
    max: 20,
    pattern: `^(${GRAINS.join('|')})$`,
    example: 'month',
    description: 'Weeks begin on Monday',
  })
  grain!: Grain;
  @TextList({
    optional: true,
    max: 1,
    example: [],
    description: 'A dimension by which each metric is split; one at most',
  })
  groupBy: string[] = [];
  @TextLists({
    optional: true,
    maxKeys: 1,
    max: 50,
    maxLength: 500,
    example: {},
    description: 'The values of one dimension that count, the one of `groupBy` where there is one',
  })
  filters: Record<string, string[]> = {};
  @ConvertedText((text) => normalizeCurrency(text) ?? text)
  @Formatted({
    optional: true,
    test: (text: string) => normalizeCurrency(text) !== undefined,
    issue: OrganizationIssues.invalidCurrency,
    what: 'an ISO 4217 currency code',
    max: 10,
    example: 'EUR',
    description: 'Into which money is converted besides; that of the organization when left out',
  })
  currency?: string;
}

export class OwnerInsightQueryDto {
  @Nested(() => InsightQueryDto)
  query!: InsightQueryDto;
}

const PROFILE = 'Whose question it is: required with the service token; an execution has its own';

export class AgentInsightQueryDto extends OwnerInsightQueryDto {
  @Uuid({ optional: true, description: PROFILE })
  agentProfileId?: string;
}

export class AskingProfileQuery {
  @Uuid({ optional: true, description: PROFILE })
  agentProfileId?: string;
}

export class RefreshInsightsDto {
  @Uuid({ optional: true, description: PROFILE })
  agentProfileId?: string;
}
