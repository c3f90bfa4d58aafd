// The database, as little of it as the pattern needs: statements, and
// transactions that are whole or not there. PostgreSQL and SQLite take the same
// statements, with $1, $2 for what is filled in.

import type { Dialect } from './dialects.ts';

export type Value = string | number | null;
export type Row = Record<string, Value>;

export interface Statements {
  /** Gives a statement's rows. Whole numbers come as numbers. */
  rows(sql: string, ...values: Value[]): Promise<Row[]>;
  /** Gives how many rows a statement changed. */
  change(sql: string, ...values: Value[]): Promise<number>;
}

export interface Database extends Statements {
  readonly dialect: Dialect;
  /** Commits what work did once it has returned, or nothing of it if it threw. */
  transaction<T>(work: (tx: Statements) => Promise<T>): Promise<T>;
  /** Runs several statements, all or none. */
  script(sql: string): Promise<void>;
  close(): Promise<void>;
}

/** Opens what DATABASE_URL names. The errors do not show it: it may hold a
 * password. Only the driver that is needed is loaded. */
export async function openDatabase(address: string): Promise<Database> {
  if (/^postgres(ql)?:\/\//.test(address)) return (await import('./postgres.ts')).openPostgres(address);
  if (/^sqlite:./.test(address)) return (await import('./sqlite.ts')).openSQLite(address.slice('sqlite:'.length));
  throw new Error('DATABASE_URL is neither postgres://USER@HOST/NAME nor sqlite:FILE');
}
