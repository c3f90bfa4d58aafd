// Orders that somebody else has to be paid for first. No transaction spans two
// services. What can be had instead:
//
//  1. one transaction claims the key and records the intent: what is about to be
//     asked of the provider, to the byte, and under which key of its own;
//  2. the provider is asked;
//  3. one transaction keeps the order and the result.
//
// A crash before 1 leaves nothing, one after 3 a result. One between them leaves
// an intent, of which nobody knows what became: whoever takes it over, at the next
// start or by a retry, asks the provider the very same again. The provider knows
// its key, charges once, and tells what it told before.

import { createHash } from 'node:crypto';
import { problem, type Answer } from './answer.ts';
import { codeOf } from './dialects.ts';
import { insertOrder, made, newOrder, type Order } from './orders.ts';
import type { Request } from './request.ts';
import { InFlight, Lost, type Claim, type Keys } from './reserve.ts';

/** Why there is no result. */
export class NoProvider extends Error {}
export class Unknown extends Error {} // whether the provider was paid is not known yet
export class Unresolved extends Error {} // nor will be: the provider may have forgotten

/** What is recorded before the provider is asked. It is never changed. */
interface Intent {
  order: Order;
  caller: string;
  key: string; // of ours at the provider
  body: string; // what to send
}

const maxTimeout = 10_000; // milliseconds
const orphans = 100; // reconciled in one round at most

export class Payments {
  readonly keys: Keys;
  readonly log: (message: string) => void;
  private told = ''; // last
  private readonly timeout: number; // milliseconds for which the provider is waited for
  private readonly remember: number; // how long after its claim an operation may be asked of it

  constructor(keys: Keys, log: (message: string) => void) {
    this.keys = keys;
    this.log = log;
    // Shorter than the lease: who is silent for longer has given up. It may be
    // taken over earlier none the less, and the provider's key bears that too.
    this.timeout = Math.min(keys.settings.lease * 3 / 4, maxTimeout);
    // The last time it is asked, that is to arrive before the provider forgets.
    this.remember = keys.settings.providerRetention - this.timeout;
  }

  /** Makes an order that is paid for. Unknown: ask again, under the same key; it
   * goes on by itself meanwhile. */
  async pay(request: Request): Promise<Answer> {
    if (!this.keys.settings.providerURL) throw new NoProvider();
    return this.keys.patiently(async () => {
      const [claim, first] = await this.intend(request);
      return this.settle(claim, first);
    });
  }

  /** Claims the key and records the intent, in one transaction. What an earlier
   * owner intended stays. */
  private intend(request: Request): Promise<[claim: Claim, first: boolean]> {
    return this.keys.transaction(async (tx) => {
      const claim = await this.keys.claim(tx, request);
      if (claim.intent !== null) return [claim, false];
      const intent = JSON.stringify(newIntent(request));
      await this.keys.intend(tx, claim, intent);
      return [{ ...claim, intent }, true];
    });
  }

  /** Has the provider do what was intended, and keeps the result. As long as the
   * outcome is not known nothing is kept, least of all a failure: the intent stays,
   * and the lease is left to run out, which is the pause before it is tried again. */
  private async settle(claim: Claim, first: boolean): Promise<Answer> {
    const { order, caller, key, body } = JSON.parse(claim.intent!) as Intent;
    // Asked again, it might charge again.
    if (claim.now - claim.since >= this.remember) throw new Unresolved();
    const charge = await this.charge(key, body, first);
    const paid = charge === 'declined' ? undefined : { ...order, charge_id: charge.id };
    const answer = paid ? made(paid) : problem(402, 'declined', 'the provider declined');
    await this.keys.together(
      (tx) => this.keys.finish(tx, claim, answer), // the fence first: a late owner's order is the one that the new owner made
      async (tx) => { if (paid) await insertOrder(tx, caller, paid); },
    );
    return answer;
  }

  /** Asks the provider once. Only an answer that says so is an outcome: 2xx that
   * it was charged, 400, 402 and 422 that it will never be, and those only to the
   * first who ever asks, or as what the provider recorded: "already paid" to a later
   * one says that an earlier one was charged. All else says nothing of it, a timeout
   * least of all, and is Unknown. */
  private async charge(key: string, body: string, first: boolean): Promise<{ id: string } | 'declined'> {
    try {
      const answer = await fetch(`${this.keys.settings.providerURL}/v1/charges`, {
        method: 'POST', body, redirect: 'manual',
        headers: { 'Content-Type': 'application/json', 'Idempotency-Key': key },
        signal: AbortSignal.timeout(this.timeout),
      });
      const text = await bounded(answer);
      const recorded = answer.headers.get('Idempotent-Replayed') === 'true';
      if ([400, 402, 422].includes(answer.status) && (first || recorded)) return 'declined';
      const id = answer.ok ? chargeID(text) : undefined;
      if (id !== undefined) return { id };
      this.log(`the provider answered ${answer.status}${answer.ok ? ' without an id that can be kept: it may have charged' : ', which says nothing'}`);
    } catch (error) {
      this.log(`the provider did not answer: ${error instanceof Error ? error.name : 'error'}`);
    }
    throw new Unknown();
  }

  /** Tells what is unresolved, where that is not what was told before: how many
   * payments nobody knows the outcome of, and whose owner is silent. The schema has
   * the query that lists them. */
  async tell(): Promise<void> {
    const { now } = this.keys.dialect;
    const [row] = await this.keys.db.rows(`SELECT count(*) AS n,
      sum(CASE WHEN created_at <= ${now} - $1 THEN 1 ELSE 0 END) AS forgotten, max(${now} - created_at) AS oldest
      FROM idempotency_keys
      WHERE expires_at IS NULL AND intent IS NOT NULL AND lease_until <= ${now}`, this.remember);
    const [n, forgotten, oldest] = [Number(row!['n']), Number(row!['forgotten']), Number(row!['oldest'])];
    const counts = `${n - forgotten} asked again, ${forgotten} to be looked up`;
    if (counts !== this.told) this.log(`unresolved payments: ${counts}, the oldest of ${Math.round(oldest / 1000)}s`);
    this.told = counts;
  }

  /** Takes over every intent whose owner is silent, and settles it, so that nothing
   * depends on the caller's coming back. What the provider may have forgotten is
   * left to a person. */
  async reconcile(): Promise<void> {
    const { now } = this.keys.dialect;
    const rows = await this.keys.db.rows(`SELECT caller, idempotency_key
      FROM idempotency_keys
      WHERE expires_at IS NULL AND intent IS NOT NULL AND lease_until <= ${now} AND created_at > ${now} - $1
      ORDER BY lease_until LIMIT ${orphans}`, this.remember);
    for (const row of rows) {
      try {
        const claim = await this.keys.transaction((tx) => this.keys.inherit(tx, String(row['caller']), String(row['idempotency_key'])));
        const answer = await this.settle(claim, false);
        this.log(`reconciled: ${answer.status}`);
      } catch (error) {
        // Lost, InFlight: a retry, or another replica, came first. Whatever else it is,
        // it is no reason to leave the others.
        if (!(error instanceof Lost || error instanceof InFlight)) this.log(`not reconciled: ${codeOf(error) || (error instanceof Unknown ? 'not known yet' : 'error')}`);
      }
    }
  }
}

/** Draws the order, and from it and the caller's key the provider's: a key of its
 * own for each operation, also for a new one under an old key of ours that the
 * provider may remember for longer than we do. */
function newIntent(request: Request): Intent {
  const order = newOrder(request);
  const key = createHash('sha256').update(['charge', request.caller, request.key, order.id].join('\n')).digest('hex');
  const body = JSON.stringify({ order_id: order.cart_id, amount: order.amount, currency: order.currency });
  return { order, caller: request.caller, key, body };
}

const maxChargeID = 255; // characters: the column's

/** Reads the ID of a charge out of one JSON object. One that no database keeps as
 * it is, such as one with a NUL in it, is none: cut to size or mended it would be
 * the ID of another charge, or of none. */
export function chargeID(bytes: Uint8Array): string | undefined {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch {
    return undefined;
  }
  const id: unknown = value !== null && typeof value === 'object' && 'id' in value ? value.id : undefined;
  if (typeof id !== 'string' || id === '' || [...id].length > maxChargeID) return undefined;
  return /[\u0000-\u001f\u007f\ufffd]/.test(id) || !id.isWellFormed() ? undefined : id;
}

/** Reads at most 1 MiB of an answer. */
async function bounded(answer: globalThis.Response): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of answer.body ?? []) {
    size += (chunk as Uint8Array).length;
    if (size > 1 << 20) throw new RangeError('the answer is larger than 1 MiB');
    chunks.push(chunk as Uint8Array);
  }
  return Buffer.concat(chunks);
}
