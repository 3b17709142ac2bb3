import { canonicalDigest } from '../../../kernel/crypto/index.ts';
import type { ReviewDto, ReviewFactsDto, ReviewWarningDto, SourceDto } from '../onboarding.dto.ts';
import type { ReviewWarningCode } from '../onboarding.state.ts';
import type { SourceResult } from '../source-result.ts';

const VERSION = 1;

/** A source with what was found in its bytes. */
export interface ReviewedSource extends SourceDto {
  readonly knowledgeId: string;
  readonly result: SourceResult;
}

export interface Material {
  readonly organizationId: string;
  readonly extractorVersion: string;
  readonly facts: ReviewFactsDto;
  readonly sources: readonly ReviewedSource[];
}

/** The review of material: the same material gives the same document, so the same digest. It tells no times. */
export function reviewOf({ organizationId, extractorVersion, facts, sources: given }: Material): ReviewDto {
  const sources = given.toSorted((a, b) => compare(a.sourceId, b.sourceId));
  const warnings = warningsOf(facts, sources);
  const document = {
    version: VERSION,
    extractorVersion,
    organizationId,
    facts,
    sources: sources.map(({ sourceId, sha256, sizeBytes, kind, fileName, mediaType, department, result }) => {
      const { foundMediaType, characters, pages, truncated } = result;
      return {
        sourceId,
        sha256,
        sizeBytes,
        kind,
        fileName,
        mediaType,
        foundMediaType,
        department,
        characters,
        pages,
        truncated,
      };
    }),
    warnings,
    summary: summaryOf(sources, warnings.length),
  };
  return { ...document, sha256: canonicalDigest(document) };
}

function warningsOf(facts: ReviewFactsDto, sources: readonly ReviewedSource[]): ReviewWarningDto[] {
  return [
    ...sources.flatMap((source, index) => aboutSource(source, sources.slice(0, index), facts)),
    ...about(facts, sources),
  ]
    .map(({ code, sourceId = null, department = null, message }) => ({ code, sourceId, department, message }))
    .toSorted(
      (a, b) =>
        compare(a.code, b.code) ||
        compare(a.sourceId ?? '', b.sourceId ?? '') ||
        compare(a.department ?? '', b.department ?? ''),
    );
}

type Warning = Pick<ReviewWarningDto, 'code' | 'message'> & Partial<ReviewWarningDto>;

function aboutSource(source: ReviewedSource, before: readonly ReviewedSource[], facts: ReviewFactsDto): Warning[] {
  const { sourceId, department, fileName, result } = source;
  const about = (code: ReviewWarningCode, message: string): Warning => ({ code, sourceId, department, message });
  const twin = before.find((other) => isTwin(source, other));
  return [
    ...result.warnings.map(({ code, message }) => about(code, message)),
    ...(twin
      ? [about('duplicate', `“${fileName}” has the same content as “${twin.fileName}”. Delete one of them.`)]
      : []),
    ...(department !== null && !facts.departments.includes(department)
      ? [
          about(
            'department_not_chosen',
            `“${fileName}” is for ${department}, which is not among the departments that begin. Choose the department, or store the source for another one.`,
          ),
        ]
      : []),
  ];
}

/** Whether somebody would read the same twice. */
function isTwin(source: ReviewedSource, other: ReviewedSource): boolean {
  const { sha256, sizeBytes, department } = source;
  const meet = department === other.department || department === null || other.department === null;
  return sizeBytes > 0 && sha256 === other.sha256 && meet;
}

function about(facts: ReviewFactsDto, sources: readonly ReviewedSource[]): Warning[] {
  const idle = facts.departments.filter(
    (key) => !sources.some((source) => isReadable(source) && (source.department ?? key) === key),
  );
  return [
    ...idle.map((department): Warning => ({
      code: 'department_without_material',
      department,
      message: `There is nothing that ${department} can read. Store a source for it, or for the whole organization.`,
    })),
    ...(facts.website === null
      ? [{ code: 'website_missing' as const, message: 'The organization has no website. Set it, if there is one.' }]
      : []),
    ...(facts.defaultCurrency === null
      ? [{ code: 'currency_missing' as const, message: 'The organization has no currency. Set the one it reckons in.' }]
      : []),
  ];
}

function isReadable({ result }: ReviewedSource): boolean {
  return result.finding !== null;
}

function summaryOf(sources: readonly ReviewedSource[], warnings: number): string {
  const readable = sources.filter(isReadable).length;
  const characters = sources.reduce((sum, { result }) => sum + result.characters, 0);
  const noun = warnings === 1 ? 'warning' : 'warnings';
  return `${readable} of ${sources.length} sources can be read, with ${characters} characters of text; ${warnings} ${noun}.`;
}

/** By code units, the same in every locale. */
function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
