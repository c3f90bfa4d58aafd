import { closeSync, openSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import SQLite from 'better-sqlite3';
import type { Database, Row, Statements, Value } from './database.ts';
import { codeOf, patience, sqlite } from './dialects.ts';

/** One connection to a file. What is written is on the disk when it returns (WAL
 * with synchronous=FULL); other processes may use the file at the same time. */
export function openSQLite(file: string): Database {
  closeSync(openSync(file, 'a', 0o600)); // SQLite would let every user of the machine read it
  const db = new SQLite(file, { timeout: patience });
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = FULL');
  db.pragma('busy_timeout = 0'); // from here on nothing else in this process stands still meanwhile

  async function whenFree<T>(work: () => T): Promise<T> {
    for (const until = Date.now() + patience; ; await sleep(5)) {
      try {
        return work();
      } catch (error) {
        if (!sqlite.blocked.test(codeOf(error)) || Date.now() > until) throw error;
      }
    }
  }

  const known = new Map<string, SQLite.Statement>();
  const prepared = (sql: string): SQLite.Statement => {
    let statement = known.get(sql);
    if (!statement) known.set(sql, statement = db.prepare(sql));
    return statement;
  };
  const numbered = (values: Value[]) => Object.fromEntries(values.map((value, i) => [i + 1, value]));
  const inside: Statements = {
    rows: (sql, ...values) => whenFree(() => prepared(sql).all(numbered(values)) as Row[]),
    change: (sql, ...values) => whenFree(() => prepared(sql).run(numbered(values)).changes),
  };

  // The one connection has one transaction at a time. Whoever comes meanwhile
  // waits here: its statements would otherwise become part of another's.
  let last: Promise<unknown> = Promise.resolve();
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = last.then(work);
    last = mine.catch(() => {});
    return mine;
  }

  // BEGIN IMMEDIATE takes the right to write at once, not half way through.
  const transaction = <T>(work: (tx: Statements) => Promise<T>) => inTurn(async () => {
    await whenFree(() => db.exec('BEGIN IMMEDIATE'));
    try {
      const result = await work(inside);
      await whenFree(() => db.exec('COMMIT'));
      return result;
    } catch (error) {
      if (db.inTransaction) db.exec('ROLLBACK');
      throw error;
    }
  });
  return {
    dialect: sqlite,
    rows: (sql, ...values) => inTurn(() => inside.rows(sql, ...values)),
    change: (sql, ...values) => inTurn(() => inside.change(sql, ...values)),
    transaction,
    script: (sql) => transaction(async () => { db.exec(sql); }),
    close: () => inTurn(async () => { db.close(); }),
  };
}
