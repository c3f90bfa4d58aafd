import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { json, type Answer } from '../answer.ts';
import type { Statements } from '../database.ts';
import { insertOrder } from '../orders.ts';
import { Conflict, InFlight, Lost, type Ask, type Keys } from '../reserve.ts';
import { age, open } from './rig.ts';

const asking = (fingerprint = 'f'): Ask => ({ caller: randomUUID(), key: 'k', fingerprint });

const order = (tx: Statements, caller: string) => insertOrder(tx, caller, {
  id: randomUUID(), tenant: 't', cart_id: caller, cart_version: 1, amount: 1, currency: 'EUR', created: new Date().toISOString(),
});

/** Work that makes one order and answers with a number that is never the same. */
const working = (ask: Ask, slow = 0) => async (tx: Statements): Promise<Answer> => {
  await order(tx, ask.caller);
  await sleep(slow);
  return { ...json(201, { drawn: randomUUID() }), location: '/made' };
};

async function count(keys: Keys, table: string, caller: string): Promise<number> {
  const [row] = await keys.db.rows(`SELECT count(*) AS n FROM ${table} WHERE caller = $1`, caller);
  return Number(row!['n']);
}

test('of many claims at once one does the work, and all get its answer', async () => {
  const replicas = [await open(), await open()];
  const ask = asking();
  const answers = await Promise.all(Array.from({ length: 24 }, (_, i) => replicas[i % 2]!.reserve(ask, working(ask, 50))));
  assert.equal(await count(replicas[0]!, 'orders', ask.caller), 1);
  assert.equal(new Set(answers.map(({ body, status, location }) => `${status} ${location} ${body}`)).size, 1);
  assert.equal(answers.filter(({ replayed }) => !replayed).length, 1);
});

test('the same key of another caller is another key', async () => {
  const keys = await open();
  const [mine, theirs] = [asking(), asking()];
  const [a, b] = [await keys.reserve(mine, working(mine)), await keys.reserve(theirs, working(theirs))];
  assert.notEqual(a.body, b.body);
  assert.equal(b.replayed, undefined);
});

test('another request under the key is a conflict and harms nothing', async () => {
  const keys = await open();
  const ask = asking();
  const first = await keys.reserve(ask, working(ask));
  await assert.rejects(keys.reserve({ ...ask, fingerprint: 'g' }, working(ask)), Conflict);
  assert.equal((await keys.reserve(ask, working(ask))).body, first.body);
  assert.equal(await count(keys, 'orders', ask.caller), 1);
});

test('work that fails leaves neither effect nor key', async () => {
  const keys = await open();
  const ask = asking();
  await assert.rejects(keys.reserve(ask, async (tx) => { await order(tx, ask.caller); throw new Error('on purpose'); }), /on purpose/);
  assert.equal(await count(keys, 'orders', ask.caller), 0);
  assert.equal(await count(keys, 'idempotency_keys', ask.caller), 0);
  await keys.reserve(ask, working(ask));
  assert.equal(await count(keys, 'orders', ask.caller), 1);
});

test('a lease that has run out is taken over, and the late holder cannot finish', async () => {
  const keys = await open();
  const ask = asking();
  const late = await keys.transaction((tx) => keys.claim(tx, ask));
  await assert.rejects(keys.transaction((tx) => keys.claim(tx, ask)), InFlight);
  await assert.rejects(keys.transaction((tx) => keys.claim(tx, { ...ask, fingerprint: 'g' })), Conflict);
  await age(keys, ask.caller, keys.settings.lease);
  await assert.rejects(keys.transaction((tx) => keys.claim(tx, { ...ask, fingerprint: 'g' })), Conflict);
  const heir = await keys.transaction((tx) => keys.claim(tx, ask));
  assert.notEqual(heir.owner, late.owner);
  await assert.rejects(keys.transaction((tx) => keys.takeOver(tx, late)), Lost);

  // Before the heir has finished, and after.
  const finish = (claim: typeof late) => keys.together(
    (tx) => order(tx, ask.caller), (tx) => keys.finish(tx, claim, json(201, { by: claim.owner })));
  await assert.rejects(finish(late), Lost);
  assert.equal(await count(keys, 'orders', ask.caller), 0);
  await finish(heir);
  await assert.rejects(finish(late), Lost);
  await assert.rejects(finish(heir), Lost);
  await age(keys, ask.caller, keys.settings.lease);
  await assert.rejects(keys.transaction((tx) => keys.takeOver(tx, late)), Lost);
  assert.equal(await count(keys, 'orders', ask.caller), 1);
  assert.equal((await keys.reserve(ask, working(ask))).body, JSON.stringify({ by: heir.owner }));
});

test('of many that take over at once one wins', async () => {
  const silent = await open();
  const replicas = [await open(), await open()];
  const ask = asking();
  await silent.transaction((tx) => silent.claim(tx, ask));
  await age(silent, ask.caller, silent.settings.lease);
  const outcomes = await Promise.allSettled(Array.from({ length: 12 }, (_, i) =>
    replicas[i % 2]!.transaction((tx) => replicas[i % 2]!.claim(tx, ask))));
  assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
});

test('a key whose retention is over is a new operation, whatever its request', async () => {
  const keys = await open();
  const ask = asking();
  const first = await keys.reserve(ask, working(ask));
  await age(keys, ask.caller, keys.settings.retention);
  const again = { ...ask, fingerprint: 'g' };
  const answers = await Promise.all([1, 2, 3].map(() => keys.reserve(again, working(again))));
  assert.equal(new Set(answers.map(({ body }) => body)).size, 1);
  assert.notEqual(answers[0]!.body, first.body);
  assert.equal(await count(keys, 'orders', ask.caller), 2);
});

test('a pending operation is never over', async () => {
  const keys = await open();
  const ask = asking();
  await keys.transaction(async (tx) => { await keys.intend(tx, await keys.claim(tx, ask), 'i'); });
  const long = keys.settings.lease + keys.settings.retention;
  await age(keys, ask.caller, long);
  await keys.sweep();
  const claim = await keys.transaction((tx) => keys.claim(tx, ask));
  assert.equal(claim.intent, 'i');
  assert.ok(claim.now - claim.since >= long);
});

test('the sweep bounds the table', async () => {
  const keys = await open({ RETENTION: '1ms' });
  const caller = randomUUID();
  const many = 1_500; // more than one statement deletes
  await keys.db.transaction(async (tx) => {
    for (let i = 0; i < many; i++) {
      const claim = await keys.claim(tx, { caller, key: `k${i}`, fingerprint: 'f' });
      await keys.finish(tx, claim, json(200, {}));
    }
  });
  const lasting = await open();
  const kept = asking();
  await lasting.reserve(kept, working(kept));
  await sleep(20);
  assert.ok(await keys.sweep() >= many);
  assert.equal(await count(keys, 'idempotency_keys', caller), 0);
  assert.equal(await count(keys, 'idempotency_keys', kept.caller), 1);
});

test('what the database undoes is tried up to the patience, and is in flight then', async () => {
  const keys = await open();
  const undo = { ...keys, dialect: { ...keys.dialect, undone: /^UNDONE$/ } };
  const losing = Object.assign(Object.create(Object.getPrototypeOf(keys)) as Keys, undo);
  let left = 15;
  const lose = async () => { if (left-- > 0) throw Object.assign(new Error('deadlock'), { code: 'UNDONE' }); };
  await losing.transaction(lose);
  left = Infinity;
  const began = Date.now();
  await assert.rejects(losing.transaction(lose), InFlight);
  assert.ok(Date.now() - began > 2_500);
  Object.assign(losing, { db: { ...keys.db, change: lose } });
  assert.equal(await losing.sweep(), 0); // its next round is to do it
});

test('each way to be wrong changes what it is named for', async () => {
  const wrong = async (how: string) => [await open({ WRONG: how, LEASE: '200ms', RETENTION: '50ms' }), asking()] as const;

  const [lasting, a] = await wrong('no-expiry');
  const first = await lasting.reserve(a, working(a));
  await sleep(100);
  assert.equal((await lasting.reserve(a, working(a))).body, first.body);

  const [empty, b] = await wrong('key-without-result');
  await empty.reserve(b, working(b));
  await empty.reserve(b, working(b)); // once the lease is over
  assert.equal(await count(empty, 'orders', b.caller), 2);

  const [outside, c] = await wrong('key-outside-transaction');
  await assert.rejects(outside.reserve(c, async (tx) => { await order(tx, c.caller); throw new Error('on purpose'); }));
  assert.equal(await count(outside, 'idempotency_keys', c.caller), 1);
});
