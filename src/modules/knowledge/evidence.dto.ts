import { Sha256, Text, Uuid } from '../../kernel/validation/index.ts';

/** Bytes that a run delivered. */
export class EvidenceDto {
  @Uuid({ description: 'A run whose artifacts the caller may read' })
  runId!: string;
  @Text({
    max: 500,
    decidedBy: true,
    example: 'reports/pricing.md',
    description: 'As the result of a succeeded run names the bytes; of another run a label',
  })
  path!: string;
  @Sha256({ description: 'Of bytes that the run stored' })
  sha256!: string;
}
