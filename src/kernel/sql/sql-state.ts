/** The SQLSTATEs that this service tells apart. */
export const SqlState = {
  foreignKeyViolation: '23503',
  uniqueViolation: '23505',
  insufficientPrivilege: '42501',
  lockNotAvailable: '55P03',
  undefinedObject: '42704',
  undefinedTable: '42P01',
  readOnly: '25006',
  wrongPassword: '28P01',
  noSuchStatement: '26000',
  duplicateStatement: '42P05',
  queryCanceled: '57014',
} as const;

/** The SQLSTATE of a database error, also where MikroORM has wrapped it. */
export function sqlState(error: unknown): string | undefined {
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: unknown };
  if (typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code)) return code;
  return cause === undefined ? undefined : sqlState(cause);
}
