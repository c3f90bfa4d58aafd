// The heart: claim a key, do the work, keep the result, or none of it.

import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase, type Database, type Row, type Statements } from './database.ts';
import { codeOf, patience, type Dialect } from './dialects.ts';
import { same, type Answer } from './answer.ts';
import type { Settings } from './settings.ts';

/** Who asks for what under which key. */
export interface Ask {
  caller: string; // a digest of the credentials
  key: string;
  fingerprint: string;
}

/** The right to do an operation. It is the owner's that was drawn with it: once
 * somebody else has claimed the key, nothing can be finished under it any more. */
export interface Claim {
  caller: string;
  key: string;
  owner: string;
  intent: string | null; // of an earlier owner, who may have acted on it
  since: number; // when the operation was first claimed
  now: number; // both by the database's clock, in milliseconds
}

/** Why a key cannot be had. */
export class Conflict extends Error {} // it was used for another request
export class InFlight extends Error {} // the first request is still being worked on
export class Lost extends Error {} // another owner took the operation over
class Done extends Error { // there is a result
  readonly answer: Answer;
  constructor(answer: Answer) { super('the operation was done'); this.answer = answer; }
}

type Step = (tx: Statements) => Promise<void>;

const recheck = 25; // milliseconds between two looks at a key in flight

export class Keys {
  readonly db: Database;
  readonly dialect: Dialect;
  readonly settings: Settings;
  readonly sweepSQL: string;

  constructor(db: Database, settings: Settings, sweepSQL: string) {
    this.db = db;
    this.dialect = db.dialect;
    this.settings = settings;
    this.sweepSQL = sweepSQL;
  }

  /** Opens the database and makes the tables where they are not there. */
  static async open(settings: Settings): Promise<Keys> {
    const db = await openDatabase(settings.databaseURL);
    const text = (await readFile(join(settings.schema, db.dialect.schema), 'utf8')).replaceAll('\r\n', '\n');
    const [tables = '', sweep = ''] = text.split('\n-- SWEEP.');
    await db.script(tables);
    return new Keys(db, settings, `-- ${sweep}`);
  }

  /** Does work once for each key of a caller, in one transaction with the key and
   * the result: all of it happens, or nothing. A crash at any moment leaves no key
   * without its result and no effect without its key.
   *
   * A duplicate that comes meanwhile is kept waiting by the database, for the row
   * of the key: then it finds the result, or the key free. It is InFlight once its
   * patience is over. */
  reserve(ask: Ask, work: (tx: Statements) => Promise<Answer>): Promise<Answer> {
    return this.patiently(async () => {
      let claim!: Claim;
      let answer!: Answer;
      await this.together(
        async (tx) => { claim = await this.claim(tx, ask); },
        async (tx) => { answer = await work(tx); },
        async (tx) => { await this.finish(tx, claim, answer); },
      );
      return answer;
    });
  }

  /** Runs steps in one transaction. */
  async together(...steps: Step[]): Promise<void> {
    let transactions = [steps];
    if (this.settings.wrong === 'key-outside-transaction') transactions = steps.map((step) => [step]); // WRONG: a crash between two of them leaves an effect that no key tells of
    for (const steps of transactions) {
      await this.transaction(async (tx) => { for (const step of steps) await step(tx); });
    }
  }

  /** Takes a key, or throws why it cannot be had. Of two claims that come at once
   * the primary key lets one through. The row stays locked until the transaction
   * ends. */
  async claim(tx: Statements, { caller, key, fingerprint }: Ask): Promise<Claim> {
    const { now } = this.dialect;
    const { lease } = this.settings;
    const owner = randomUUID();
    const inserted = await tx.change(`INSERT INTO idempotency_keys
      (caller, idempotency_key, fingerprint, owner, lease_until, created_at)
      VALUES ($1, $2, $3, $4, ${now} + $5, ${now}) ON CONFLICT DO NOTHING`, caller, key, fingerprint, owner, lease);
    const row = await this.look(tx, caller, key);
    const claim = claimOf(row, { caller, key }, owner);
    if (inserted === 1) return claim;
    switch (standing(row, fingerprint)) {
      case 'another': throw new Conflict();
      case 'done': throw new Done(resultOf(row));
      case 'owned': throw new InFlight();
      case 'silent':
        await this.takeOver(tx, claim);
        return claim;
      case 'over': // the same key after its retention is a new operation
        await tx.change(`UPDATE idempotency_keys SET fingerprint = $1, owner = $2, lease_until = ${now} + $3, created_at = ${now},
          intent = NULL, status = NULL, content_type = NULL, location = NULL, body = NULL, expires_at = NULL
          WHERE caller = $4 AND idempotency_key = $5`, fingerprint, owner, lease, caller, key);
        return { ...claim, intent: null, since: claim.now };
    }
  }

  /** Makes a claim the owner of an operation whose own owner is silent. What was
   * intended stays intended. */
  async takeOver(tx: Statements, claim: Claim): Promise<void> {
    const { now } = this.dialect;
    fenced(await tx.change(`UPDATE idempotency_keys SET owner = $1, lease_until = ${now} + $2
      WHERE caller = $3 AND idempotency_key = $4 AND status IS NULL AND lease_until <= ${now}`,
      claim.owner, this.settings.lease, claim.caller, claim.key));
  }

  /** Takes over an operation of which a list said that its owner is silent. What it
   * is about is read anew: what has been done since the list was made, and how old
   * the operation is by now. Lost, InFlight: somebody came first. */
  async inherit(tx: Statements, caller: string, key: string): Promise<Claim> {
    const row = await this.look(tx, caller, key);
    const claim = claimOf(row, { caller, key }, randomUUID());
    await this.takeOver(tx, claim);
    return claim;
  }

  /** Reads and locks a key's row. InFlight: it was swept just now, and can be
   * claimed. */
  private async look(tx: Statements, caller: string, key: string): Promise<Row> {
    const [row] = await tx.rows(`SELECT fingerprint, intent, status, content_type, location, body,
      created_at, lease_until, expires_at, ${this.dialect.now} AS now
      FROM idempotency_keys WHERE caller = $1 AND idempotency_key = $2 ${this.dialect.forUpdate}`, caller, key);
    if (!row) throw new InFlight();
    return row;
  }

  /** Records what is about to be asked of another service. */
  async intend(tx: Statements, claim: Claim, intent: string): Promise<void> {
    fenced(await tx.change(`UPDATE idempotency_keys SET intent = $1
      WHERE caller = $2 AND idempotency_key = $3 AND owner = $4`, intent, claim.caller, claim.key, claim.owner));
  }

  /** Keeps the result. From here on the key is remembered for its retention, which
   * is counted from now: an operation that took long is not forgotten in the moment
   * that it is done. Lost: it is somebody else's by now, and nothing is committed. */
  async finish(tx: Statements, claim: Claim, answer: Answer): Promise<void> {
    let { retention } = this.settings;
    if (this.settings.wrong === 'no-expiry') retention = 2 ** 41; // WRONG: some 70 years, in which the table only grows
    if (this.settings.wrong === 'key-without-result') return; // WRONG: a retry finds the key, and nothing to answer with
    fenced(await tx.change(`UPDATE idempotency_keys
      SET status = $1, content_type = $2, location = $3, body = $4, intent = NULL, expires_at = ${this.dialect.now} + $5
      WHERE caller = $6 AND idempotency_key = $7 AND owner = $8 AND status IS NULL`,
      answer.status, answer.contentType, answer.location ?? null, answer.body, retention, claim.caller, claim.key, claim.owner));
  }

  /** One transaction. Where the database undid it to end a deadlock it is tried
   * again, up to the patience, and is InFlight after that: nothing of it has
   * happened. Where the commit itself fails by a lost connection, nobody knows whether it
   * took place: the caller's retry finds out by the key. */
  async transaction<T>(work: (tx: Statements) => Promise<T>): Promise<T> {
    for (const again = retry(); ;) {
      try {
        const result = await this.db.transaction(work);
        if (this.settings.answerDelay > 0) await sleep(this.settings.answerDelay);
        return result;
      } catch (error) {
        if (this.dialect.blocked.test(codeOf(error))) throw new InFlight();
        if (!this.dialect.undone.test(codeOf(error))) throw error;
        if (!await again()) throw new InFlight();
      }
    }
  }

  /** Tries until the key is not in flight any more, up to the patience. A result
   * that is there already is the answer. */
  async patiently(attempt: () => Promise<Answer>): Promise<Answer> {
    for (const until = Date.now() + patience; ; await sleep(recheck)) {
      try {
        return await attempt();
      } catch (error) {
        if (error instanceof Done) return error.answer;
        const waits = error instanceof InFlight || error instanceof Lost;
        if (!waits || Date.now() > until) throw error;
      }
    }
  }

  /** Deletes the keys whose retention has passed, and gives how many. Where
   * requests come before it, it is tried again up to the patience; what it leaves
   * then is for its next round. */
  async sweep(): Promise<number> {
    for (let swept = 0, again = retry(); ;) {
      try {
        const n = await this.db.change(this.sweepSQL);
        swept += n;
        if (n < 1000) return swept; // the statement's own bound
        again = retry();
      } catch (error) {
        const { undone, blocked } = this.dialect;
        if (!undone.test(codeOf(error)) && !blocked.test(codeOf(error))) throw error;
        if (!await again()) return swept;
      }
    }
  }
}

/** Waits before something is tried again that lost against others: a pause that
 * grows, and that no two draw alike, or they would meet again. False, at once,
 * where the patience is over. */
function retry(): () => Promise<boolean> {
  const until = Date.now() + patience;
  let next = 2;
  return async () => {
    const pause = next / 2 + Math.random() * next;
    next = Math.min(2 * next, 200);
    if (Date.now() + pause > until) return false;
    await sleep(pause);
    return true;
  };
}

function fenced(changed: number): void {
  if (changed === 0) throw new Lost();
}

function claimOf(row: Row, { caller, key }: Pick<Ask, 'caller' | 'key'>, owner: string): Claim {
  return { caller, key, owner, intent: row['intent'] as string | null, since: Number(row['created_at']), now: Number(row['now']) };
}

/** What a row means for a request. */
function standing(row: Row, fingerprint: string): 'over' | 'another' | 'done' | 'owned' | 'silent' {
  const [pending, now] = [row['status'] === null, Number(row['now'])];
  if (!pending && now >= Number(row['expires_at'])) return 'over'; // a pending one never is: nobody knows yet what became of it
  if (!same(String(row['fingerprint']), fingerprint)) return 'another';
  if (!pending) return 'done';
  return now < Number(row['lease_until']) ? 'owned' : 'silent'; // silent: somebody worked on it, and may be dead
}

function resultOf(row: Row): Answer {
  const answer: Answer = { status: Number(row['status']), contentType: String(row['content_type']), body: String(row['body']), replayed: true };
  return row['location'] === null ? answer : { ...answer, location: String(row['location']) };
}
