import { canonicalText } from '../../../kernel/crypto/index.ts';
import {
  type CoverageSum,
  CONVERSION_POLICY,
  type FoldedPoint,
  type PointReason,
  reportingOf,
  statusOf,
  textOf,
  type UsedRate,
} from '../definitions/index.ts';

/** A point's value in the currency of the answer. */
export interface ConvertedPoint {
  readonly currency: string;
  /** Null where there is no value, or no rate. */
  readonly value: string | null;
  readonly rates: readonly UsedRate[];
  readonly isProvisional: boolean;
  readonly isMissingRate: boolean;
}

/** A point as it is written. */
export interface WrittenPoint {
  readonly from: string;
  readonly to: string;
  readonly folded: FoldedPoint;
  /** Null of what is no money. */
  readonly converted: ConvertedPoint | null;
}

/** Coverage is the same object of many points, and so is what the provider said. */
const reportingTexts = new WeakMap<object, string>();

/** A point as canonical JSON (RFC 8785): its properties stand in their order, and nothing is between them. */
export function pointText({ from, to, folded, converted }: WrittenPoint): string {
  const { coverage, reason, numerator, denominator } = folded;
  const value = folded.value && textOf(folded.value);
  const told = coverageText(coverage, reason, coverage.provisional);
  return (
    `{"collectedAt":${nullable(coverage.collectedAt)},"conversion":${converted ? conversionText(converted, folded, told) : 'null'},` +
    `"coverage":${told},"denominator":${nullable(denominator)},"from":"${from}","numerator":${nullable(numerator)},` +
    `"to":"${to}","value":${nullable(value)}}`
  );
}

function conversionText(converted: ConvertedPoint, { coverage, reason }: FoldedPoint, told: string): string {
  const { currency, value, rates, isProvisional, isMissingRate } = converted;
  const own = isMissingRate
    ? missingRate(coverage)
    : isProvisional && !coverage.provisional
      ? coverageText(coverage, reason, true)
      : told;
  const used = rates.map(
    ({ rate, date, provider, originalCurrency }) =>
      `{"date":"${date}","originalCurrency":"${originalCurrency}","provider":"${provider}","rate":"${rate}"}`,
  );
  return (
    `{"coverage":${own},"currency":"${currency}","policy":"${CONVERSION_POLICY}","rates":[${used.join(',')}],` +
    `"value":${nullable(value)}}`
  );
}

function coverageText(coverage: CoverageSum, reason: PointReason | null, provisional: boolean): string {
  return (
    `{"from":${nullable(coverage.from)},"provisional":${provisional},"reason":${nullable(reason)},` +
    `"reporting":${reportingText(coverage)},"status":"${statusOf(coverage)}","to":${nullable(coverage.to)}}`
  );
}

/** There is a value, and nothing to convert it by. */
function missingRate({ provisional }: CoverageSum): string {
  return `{"from":null,"provisional":${provisional},"reason":"missing_rate","reporting":null,"status":"none","to":null}`;
}

function reportingText(coverage: CoverageSum): string {
  if (coverage.reporting === null) return 'null';
  let text = reportingTexts.get(coverage.reporting);
  if (text === undefined) {
    const reporting = reportingOf(coverage);
    text = reporting === null ? 'null' : canonicalText(reporting);
    reportingTexts.set(coverage.reporting, text);
  }
  return text;
}

/** Decimals, days, instants and words of ours hold nothing that JSON escapes. */
function nullable(text: string | null): string {
  return text === null ? 'null' : `"${text}"`;
}
