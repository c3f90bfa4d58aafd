import pg from 'pg';
import type { Database, Row, Statements } from './database.ts';
import { patience, postgres } from './dialects.ts';

const bigint = 20; // the type's number in PostgreSQL's catalogue

/** A pool of connections. Waiting for the database is bounded everywhere, so that
 * a caller gets 503 rather than nothing. */
export function openPostgres(address: string, wait = patience): Database {
  const pool = new pg.Pool({
    connectionString: address,
    max: 20,
    connectionTimeoutMillis: 10_000,
    lock_timeout: wait,
    statement_timeout: 2 * wait,
    query_timeout: 3 * wait, // of a database that does not even say that
    idle_in_transaction_session_timeout: 2 * wait, // of an owner whose machine is gone
    // A bigint would come as text; none here is beyond 2^53.
    types: { getTypeParser: (type, format) => (type === bigint ? Number : pg.types.getTypeParser(type, format as 'text')) },
  });
  pool.on('error', () => {}); // a connection that breaks while nobody uses it is replaced
  const on = (client: pg.Pool | pg.PoolClient): Statements => ({
    rows: async (sql, ...values) => (await client.query<Row>(sql, values)).rows,
    change: async (sql, ...values) => (await client.query(sql, values)).rowCount ?? 0,
  });
  return {
    dialect: postgres,
    ...on(pool),
    async transaction(work) {
      const client = await pool.connect();
      let broken: Error | undefined;
      // A connection that breaks in the middle says so in the statement that fails.
      const ignore = () => {};
      client.on('error', ignore);
      try {
        // The usual level, also where the database has another one as its default.
        await client.query('BEGIN ISOLATION LEVEL READ COMMITTED');
        const result = await work(on(client));
        await client.query('COMMIT');
        return result;
      } catch (error) {
        // A connection that cannot even roll back is not used again.
        await client.query('ROLLBACK').catch((e: Error) => { broken = e; });
        throw error;
      } finally {
        client.off('error', ignore);
        client.release(broken);
      }
    },
    async script(sql) { await pool.query(sql); }, // several statements at once are one transaction
    async close() { await pool.end(); },
  };
}
