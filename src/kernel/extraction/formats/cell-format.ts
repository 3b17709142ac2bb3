/** How the value of a cell is shown, as far as its meaning depends on it. */
export type CellFormat = 'date' | 'percent' | undefined;

/** Formats of dates and times that have a number only. */
const DATES: readonly (readonly [number, number])[] = [
  [14, 22],
  [27, 36],
  [45, 47],
  [50, 58],
];
const PERCENTS = new Set([9, 10]);

export function formatOf(id: number, code: string | undefined): CellFormat {
  if (code === undefined) {
    if (PERCENTS.has(id)) return 'percent';
    return DATES.some(([first, last]) => id >= first && id <= last) ? 'date' : undefined;
  }
  // Without quoted and escaped text, colours and conditions; elapsed times like [h] stay numbers.
  const bare = code.replace(/"[^"]*"|\\.|_.|\*.|\[[^\]]*\]/g, '').split(';')[0]!;
  if (bare.includes('%')) return 'percent';
  return /[ymdhs]/i.test(bare) && !/general/i.test(bare) ? 'date' : undefined;
}

const DAY_MS = 86_400_000;
/** Day 0 of either system of dates, as milliseconds. The system of 1900 counts a 29 February that never was. */
const EPOCHS = { 1900: Date.UTC(1899, 11, 30), 1904: Date.UTC(1904, 0, 1) };
const LAST_DAY = 2_958_465;

/** A cell's number as text: a date or time in the form of ISO 8601, a percentage, or the number without the noise of its last digits. */
export function shownNumber(raw: string, format: CellFormat, system: keyof typeof EPOCHS): string {
  const value = Number(raw);
  if (raw.trim() === '' || !Number.isFinite(value)) return raw;
  if (format === 'percent') return `${plain(value * 100)}%`;
  if (format !== 'date' || value < 0 || value > LAST_DAY) return plain(value);
  const seconds = Math.round((value * DAY_MS) / 1_000);
  const time = new Date(seconds * 1_000).toISOString().slice(11, 19);
  if (value < 1) return time.replace(/:00$/, '');
  const days = system === 1900 && value < 61 ? seconds + 86_400 : seconds;
  const date = new Date(EPOCHS[system] + days * 1_000).toISOString().slice(0, 10);
  return seconds % 86_400 === 0 ? date : `${date} ${time.replace(/:00$/, '')}`;
}

function plain(value: number): string {
  return String(Number(value.toPrecision(15)));
}
