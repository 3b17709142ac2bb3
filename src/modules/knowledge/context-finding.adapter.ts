import { Injectable } from '@nestjs/common';
import type { ExecutionPrincipal } from '../../kernel/auth/index.ts';
import { type Statement, sqlState, SqlState } from '../../kernel/database/index.ts';
import { type ContextEntryDto, type ContextFinder, ManifestContext } from '../executions/index.ts';
import { KnowledgeReadingService } from './knowledge-reading.service.ts';
import type { FoundRow } from './knowledge-search.queries.ts';
import { anyStanding } from './knowledge.queries.ts';
import { cutToCodePoints } from './words/excerpt.ts';

/** What of it a manifest shows. */
const ENTRIES = 16;
const BYTES = 48 * 1024;
const TEXT = 2_000;
/** How long a manifest waits for it. */
const TIMEOUT_MS = 1_000;

/** Finds for executions what their organization knows about their work: what they may read and what holds. */
@Injectable()
export class ContextFinding implements ContextFinder {
  constructor(
    context: ManifestContext,
    private readonly knowledge: KnowledgeReadingService,
  ) {
    context.register(this);
  }

  isWorthwhile(organizationId: string): Statement {
    return anyStanding(organizationId);
  }

  async find(execution: ExecutionPrincipal, sought: string): Promise<ContextEntryDto[]> {
    const search = this.knowledge.found(execution, sought, { limit: ENTRIES, timeoutMs: TIMEOUT_MS });
    const rows = await search.catch((error: unknown) => {
      if (sqlState(error) === SqlState.queryCanceled) return [];
      throw error;
    });
    return within(BYTES, rows.map(toEntry));
  }
}

function toEntry({ id, key, title, passage, finding, origin, retainedAt }: FoundRow): ContextEntryDto {
  const text = cutToCodePoints(passage ?? finding, TEXT);
  return { knowledgeId: id, key, title, text, origin, freshness: 'current', retainedAt };
}

/** The first entries that fit, as JSON. */
function within(bytes: number, entries: readonly ContextEntryDto[]): ContextEntryDto[] {
  let left = bytes;
  return entries.filter((entry) => (left -= Buffer.byteLength(JSON.stringify(entry)) + 1) >= 0);
}
