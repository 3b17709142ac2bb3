const ISO = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(?:Z|([+-])(\d{2}):?(\d{2}))$/;
const MINUTE_MS = 60_000;

/**
 * The instant that an ISO 8601 date and time with a zone names, in the years 1 to 9999 and rounded down to milliseconds;
 * undefined of anything else, leap seconds and days that are in no calendar among it.
 */
export function instantOf(text: string): Date | undefined {
  const parts = ISO.exec(text);
  if (!parts) return undefined;
  const [year, month, day, hour, minute, second] = parts.slice(1, 7).map((part) => Number(part ?? 0)) as SixNumbers;
  const [fraction = '', sign, zoneHours = '0', zoneMinutes = '0'] = parts.slice(7);
  if (hour > 23 || minute > 59 || second > 59 || Number(zoneHours) > 23 || Number(zoneMinutes) > 59) return undefined;
  const local = new Date(0);
  local.setUTCFullYear(year, month - 1, day);
  if (local.getUTCMonth() !== month - 1 || local.getUTCDate() !== day) return undefined;
  local.setUTCHours(hour, minute, second, Number(fraction.slice(0, 3).padEnd(3, '0')));
  const offset = (Number(zoneHours) * 60 + Number(zoneMinutes)) * (sign === '-' ? -1 : 1);
  const instant = new Date(local.getTime() - offset * MINUTE_MS);
  const inYear = instant.getUTCFullYear();
  return year >= 1 && inYear >= 1 && inYear <= 9_999 ? instant : undefined;
}

type SixNumbers = [number, number, number, number, number, number];
