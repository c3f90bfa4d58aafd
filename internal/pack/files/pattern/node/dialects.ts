/** What differs between the databases. */
export interface Dialect {
  schema: string; // the file
  now: string; // milliseconds since 1970, by the database's clock: replicas' clocks differ
  forUpdate: string; // ends a SELECT that locks its row
  undone: RegExp; // error codes: the transaction was rolled back, and may well pass when tried again
  blocked: RegExp; // error codes: another transaction kept its row for longer than the patience
}

/** How long a duplicate waits for the first request, in milliseconds. */
export const patience = 5_000;

// Under READ COMMITTED, the usual level, a statement that had to wait for a row
// sees what became of it.
export const postgres: Dialect = {
  schema: 'postgres.sql',
  now: '(extract(epoch FROM clock_timestamp()) * 1000)::bigint',
  forUpdate: 'FOR UPDATE',
  undone: /^(40001|40P01)$/, // serialization_failure, deadlock_detected
  blocked: /^55P03$/, // lock_not_available
};

// SQLite has one writer at a time, so nothing that is read in a transaction
// changes before it writes.
export const sqlite: Dialect = {
  schema: 'sqlite.sql',
  now: "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)",
  forUpdate: '',
  undone: /^never$/,
  blocked: /^SQLITE_BUSY/,
};

/** The code that a driver gives its error, or ''. */
export function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : '';
  return typeof code === 'string' ? code : '';
}
