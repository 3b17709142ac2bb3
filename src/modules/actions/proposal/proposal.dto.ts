import { JsonObject, Name, OneOf, Slug, Text, Timestamp } from '../../../kernel/validation/index.ts';
import { RISKS } from '../../organizations/index.ts';
import { ACTION_LIMITS, type ActionRisk } from '../action.state.ts';
import { PROPOSED_KINDS, type ProposedKind } from './proposal.policy.ts';

export class ProposeActionDto {
  @OneOf(PROPOSED_KINDS, { optional: true, default: 'tool_call', example: 'webhook_call' })
  kind: ProposedKind = 'tool_call';
  @Slug({ example: 'webhooks', description: 'The connector; `webhooks` for a call of a webhook' })
  connectorKey!: string;
  @Text({
    max: 200,
    example: '0199c9a4-5b1e-7c3a-9f42-1c8f6f0f2a11',
    description: 'The tool of the connector; the id of the webhook that is to be called',
  })
  toolName!: string;
  @JsonObject({
    maxBytes: ACTION_LIMITS.argumentsBytes,
    example: { title: 'Release 2' },
    description: 'What the tool is called with; never changed. At most 256 KiB as JSON',
  })
  arguments!: Record<string, unknown>;
  @Name({ decidedBy: true, example: 'Publish the release note' })
  title!: string;
  @Text({ max: 4_000, visible: true, decidedBy: true, example: 'Posts the note to the site of the company.' })
  summary!: string;
  @OneOf(RISKS, { optional: true, example: 'external', description: 'Counts where it is higher than the catalog’s' })
  risk?: ActionRisk;
  @Text({
    max: 200,
    optional: true,
    example: 'release-note-2',
    description:
      'Unique in the task or chat for ever; by default made of the digest. Whoever wants the same thing twice names two keys',
  })
  dedupeKey?: string;
  @Timestamp({
    optional: true,
    example: '2026-03-08T09:30:00Z',
    description: 'Until then it may be approved: 5 minutes to 30 days ahead, 7 days by default',
  })
  expiresAt?: string;
}
