import type { ReportEntry } from '../../integrations/index.ts';

/** Currencies whose smallest unit is not a hundredth (ISO 4217): there is none, or it is less. `Intl` says other things of some. */
const NOT_HUNDREDTHS: ReadonlySet<string> = new Set(
  [
    'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF',
    'BHD IQD JOD KWD LYD OMR TND',
    'CLF UYW',
  ].flatMap((codes) => codes.split(' ')),
);

const INTEGER = /^-?\d{1,38}$/;

/**
 * An amount in the smallest unit as a decimal in major units. Whether the provider writes hundredths of currencies that have
 * none is told nowhere, so these have no value.
 */
export function majorUnits(amount: unknown, currency: string): Pick<ReportEntry, 'value' | 'reason'> {
  if (amount === null || amount === undefined) return { value: null, reason: 'missing_value' };
  const text = typeof amount === 'number' ? String(amount) : amount;
  if (typeof text !== 'string' || !INTEGER.test(text)) return { value: null, reason: 'non_numeric' };
  if (NOT_HUNDREDTHS.has(currency)) return { value: null, reason: 'unit_unverified' };
  const digits = text.replace('-', '').padStart(3, '0');
  const whole = digits.slice(0, -2).replace(/^0+(?=\d)/, '');
  const cents = digits.slice(-2).replace(/0+$/, '');
  const value = cents === '' ? whole : `${whole}.${cents}`;
  return { value: text.startsWith('-') && value !== '0' ? `-${value}` : value };
}
