import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { type ExecutionPrincipal, LiveExecutions, type OwnerPrincipal } from '../../kernel/auth/index.ts';
import { Reads, type Statement } from '../../kernel/database/index.ts';
import { ApiError, invalid } from '../../kernel/errors/index.ts';
import { invalidCursor } from '../../kernel/pagination/index.ts';
import { BOOTSTRAP, type OrganizationAccess, ownerAccess } from '../../kernel/tenancy/index.ts';
import { type Audience, audienceOf, audienceOfOwner } from './audience.queries.ts';
import { type ConnectorStanding, ConnectorStandings } from './connector-standings.port.ts';
import { excerptOf } from './words/excerpt.ts';
import {
  limitedTo,
  type FoundOrLost,
  foundKnowledge,
  type FoundRow,
  type Search,
  similarKnowledge,
} from './knowledge-search.queries.ts';
import { toKnowledge, toKnowledgeDetail } from './knowledge-row.ts';
import type { KnowledgeDetailDto, KnowledgeListQuery, KnowledgePageDto } from './knowledge.dto.ts';
import { KnowledgeErrors, KnowledgeIssues } from './knowledge.errors.ts';
import { knowledgeById, knowledgeOf, type KnowledgeRow, shownFreshness } from './knowledge.queries.ts';
import { type SoughtTerm, soughtTerms, wordsOf } from './words/search-terms.ts';

/** A caller on the way into its organization, and what it may read there. */
interface Reader {
  readonly access: OrganizationAccess;
  readonly agentProfileId: string | null;
  readonly audience: (standings: readonly ConnectorStanding[]) => Audience;
}

/** Statements whose rows make one result. */
interface Asked<Result> {
  statements(): readonly Statement[];
  result(sets: readonly unknown[][]): Result;
}

/** Reads records for owners and executions: one audience for all ways to one. */
@Injectable()
export class KnowledgeReadingService {
  constructor(
    private readonly reads: Reads,
    private readonly executions: LiveExecutions,
    private readonly standings: ConnectorStandings,
  ) {}

  async list(
    caller: OwnerPrincipal | ExecutionPrincipal,
    organizationId: string,
    query: KnowledgeListQuery,
  ): Promise<KnowledgePageDto> {
    const reader = this.readerOf(caller, organizationId);
    if (query.search !== undefined) return this.search(reader, { ...query, search: query.search });
    const page = await this.read(reader, (audience) => knowledgeOf(organizationId, audience, query));
    return { items: page.items.map(toKnowledge), nextCursor: page.pagination.nextCursor };
  }

  async one(
    caller: OwnerPrincipal | ExecutionPrincipal,
    organizationId: string,
    id: string,
  ): Promise<KnowledgeDetailDto> {
    const [row] = await this.rows(this.readerOf(caller, organizationId), (audience) =>
      knowledgeById(organizationId, audience, id),
    );
    if (!row) throw new ApiError(KnowledgeErrors.notFound);
    return toKnowledgeDetail(row);
  }

  /** What of the knowledge that holds fits a text best, for an execution; none for a text without words. */
  async found(
    execution: ExecutionPrincipal,
    text: string,
    { limit, timeoutMs }: { readonly limit: number; readonly timeoutMs: number },
  ): Promise<readonly FoundRow[]> {
    const terms = soughtTerms(text);
    if (terms.length === 0) return [];
    const { organizationId } = execution;
    return this.read(this.readerOf(execution, organizationId), (audience) => ({
      statements: () => [
        limitedTo(timeoutMs),
        foundKnowledge(organizationId, {
          audience,
          terms,
          freshness: ['current'],
          department: null,
          origin: null,
          after: null,
          limit,
        }),
      ],
      result: ([, rows]) => rows as FoundRow[],
    }));
  }

  private async search(
    reader: Reader,
    query: KnowledgeListQuery & { readonly search: string },
  ): Promise<KnowledgePageDto> {
    const { organizationId } = reader.access;
    const terms = soughtTerms(query.search);
    if (terms.length === 0) throw invalid('search', KnowledgeIssues.noWords);
    const of = (audience: Audience): Search => ({
      audience,
      terms,
      freshness: shownFreshness(audience, query.freshness),
      department: query.department ?? null,
      origin: query.origin ?? null,
      after: query.cursor ?? null,
      limit: query.limit + 1,
    });
    const found = await this.rows(reader, (audience) => foundKnowledge(organizationId, of(audience)));
    if (found.length > 0 || query.cursor !== undefined) return pageOf(found, query, terms);
    const words = wordsOf(query.search).join(' ');
    const similar = await this.rows(reader, (audience) =>
      similarKnowledge(organizationId, { ...of(audience), limit: query.limit }, words),
    );
    return similarPage(similar);
  }

  private readerOf(caller: OwnerPrincipal | ExecutionPrincipal, organizationId: string): Reader {
    if (caller.kind === 'owner')
      return {
        access: ownerAccess(caller, organizationId, { counted: caller.subject === BOOTSTRAP }),
        agentProfileId: null,
        audience: audienceOfOwner,
      };
    return {
      access: this.executions.access(caller, { lane: 'ordinary' }),
      agentProfileId: caller.agentProfileId,
      audience: (standings) => audienceOf(caller, standings),
    };
  }

  private rows<Row>(reader: Reader, of: (audience: Audience) => Statement<Row>): Promise<Row[]> {
    return this.read(reader, (audience) => ({
      statements: () => [of(audience)],
      result: ([rows]) => rows as Row[],
    }));
  }

  /**
   * Asks together with how the connectors stand, as if they stood as was seen last: one round trip in organizations without
   * any, else two; and again where they changed in between.
   */
  private async read<Result>(reader: Reader, ask: (audience: Audience) => Asked<Result>): Promise<Result> {
    const { access, agentProfileId, audience } = reader;
    const connectors = this.standings.ask(access.organizationId, agentProfileId);
    let known: readonly ConnectorStanding[] = [];
    for (;;) {
      const asked = ask(audience(known));
      const [standings, sets] = await this.reads.listThrough(access, {
        statements: () => [connectors.statement, ...asked.statements()],
        result: ([rows, ...others]: readonly unknown[][]) => [connectors.read(rows!), others] as const,
      });
      if (isDeepStrictEqual(standings, known)) return asked.result(sets);
      known = standings;
    }
  }
}

function pageOf(
  rows: readonly FoundOrLost[],
  { limit }: KnowledgeListQuery,
  terms: readonly SoughtTerm[],
): KnowledgePageDto {
  if (rows[0]?.id === null) throw invalidCursor('must be the id of a record that the search finds');
  const items = (rows as readonly FoundRow[])
    .slice(0, limit)
    .map(({ passage, ...row }) =>
      Object.assign(toKnowledge(row), { excerpt: excerptOf(passage ?? row.finding, terms) }),
    );
  return { items, nextCursor: rows.length > limit ? items.at(-1)!.id : null };
}

function similarPage(rows: readonly KnowledgeRow[]): KnowledgePageDto {
  return { items: rows.map((row) => Object.assign(toKnowledge(row), { match: 'similar' as const })), nextCursor: null };
}
