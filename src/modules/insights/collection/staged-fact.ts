import type { ReportEntry } from '../../integrations/index.ts';

/** What one item of a report adds, as it is kept until the collection ends. */
export type StagedFact = readonly ReportEntry[];
