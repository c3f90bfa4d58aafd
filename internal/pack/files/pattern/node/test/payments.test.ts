import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { after, test } from 'node:test';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { chargeID, NoProvider, Payments, Unknown, Unresolved } from '../payments.ts';
import type { Request } from '../request.ts';
import { Conflict, type Keys } from '../reserve.ts';
import { age, open } from './rig.ts';

/** A provider that answers as it is told, one status after the other: 0 is none at
 * all. It charges once for each key, whatever it answers. */
class Provider {
  readonly asked: string[] = []; // key and body of each request
  readonly charges = new Map<string, string>();
  answer: string | Buffer | undefined; // of a charge, instead of its id
  statuses: number[] = [];
  meanwhile: () => Promise<void> = async () => {}; // what happens before it answers
  readonly server: Server = createServer((req, res) => {
    let body = '';
    req.on('data', (chunk: Buffer) => { body += chunk.toString(); });
    req.on('end', async () => {
      const key = String(req.headers['idempotency-key']);
      this.asked.push(`${req.url} ${key} ${body}`);
      const status = this.statuses.shift() ?? 201;
      if (status !== 402) this.charges.set(key, this.charges.get(key) ?? `ch_${randomUUID()}`);
      await this.meanwhile();
      if (status === 0) req.socket.destroy();
      else res.writeHead(status, { Location: '/elsewhere' }).end(status === 200 ? '{}' : this.answer ?? JSON.stringify({ id: this.charges.get(key) }));
    });
  });
}

async function rig(env: Record<string, string> = {}, ...statuses: number[]): Promise<[Provider, Keys, Payments, Request]> {
  const provider = new Provider();
  provider.statuses = statuses;
  await new Promise<void>((resolve) => { provider.server.listen(0, '127.0.0.1', resolve); });
  after(() => { provider.server.closeAllConnections(); provider.server.close(); });
  const { port } = provider.server.address() as AddressInfo;
  const keys = await open({ PROVIDER_URL: `http://127.0.0.1:${port}`, ...env });
  const id = randomUUID();
  const request: Request = {
    caller: id, key: 'k', fingerprint: 'f', checkout: { tenant: 't', cart: { id, version: 1 }, amount: 5, currency: 'EUR' },
  };
  return [provider, keys, new Payments(keys, () => {}), request];
}

async function ordersOf(keys: Keys, request: Request): Promise<unknown[]> {
  return keys.db.rows('SELECT charge_id FROM orders WHERE caller = $1', request.caller);
}

test('a payment is charged once and replayed', async () => {
  const [provider, keys, payments, request] = await rig();
  const first = await payments.pay(request);
  const again = await payments.pay(request);
  assert.deepEqual([first.status, again.status, again.body, again.replayed], [201, 201, first.body, true]);
  assert.equal(provider.asked.length, 1);
  assert.deepEqual((await ordersOf(keys, request)).length, 1);
  await assert.rejects(payments.pay({ ...request, fingerprint: 'g' }), Conflict);
});

for (const status of [0, 200, 303, 404, 409, 429, 500]) {
  test(`an answer that says nothing (${status}) is asked again, the very same`, async () => {
    const [provider, keys, payments, request] = await rig({}, status, status);
    await assert.rejects(payments.pay(request), Unknown);
    await age(keys, request.caller, keys.settings.lease);
    await assert.rejects(payments.pay(request), Unknown);
    assert.deepEqual(await ordersOf(keys, request), []);
    await age(keys, request.caller, keys.settings.lease);
    await payments.reconcile();
    const answer = await payments.pay(request);
    assert.deepEqual([answer.status, answer.replayed], [201, true]);
    assert.equal(provider.asked.length, 3);
    assert.equal(new Set(provider.asked).size, 1);
    assert.equal(provider.charges.size, 1);
    assert.deepEqual(await ordersOf(keys, request), [{ charge_id: [...provider.charges.values()][0] }]);
  });
}

test("what is a charge's id, as in Go", () => {
  const long = (n: number) => '\u00e9'.repeat(n);
  const raw = (before: string, ...bytes: number[]) => Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from('"}')]);
  const table: [text: string | Buffer, id?: string][] = [
    ['{"id":"ch_1"}', 'ch_1'],
    [' {"a":[1e999],"id":"ch_1"} ', 'ch_1'],
    ['{"ID":"ch_2","id":"ch_1"}', 'ch_1'],
    ['{"id":"ch_2","id":"ch_1"}', 'ch_1'],
    ['{"id":"\\u0063h_1"}', 'ch_1'],
    ['{"id":"\\ud83d\\ude00"}', '\u{1f600}'],
    [`{"id":"${long(255)}"}`, long(255)],
    ['{"id":"ch\u2028\u00a0\'"}', "ch\u2028\u00a0'"],
    [`{"id":"${long(256)}"}`],
    ['{"ID":"ch_1"}'], ['{"Id":"ch_1"}'],
    ['{"id":"ch_1"}{"id":"ch_2"}'], ['{"id":"ch_1"} x'], ['{"id":"ch_1"'], ['{"id":"ch_1",}'],
    ['{"id":"ch\\u0000"}'], ['{"id":"ch\\n"}'], ['{"id":"ch\\u007f"}'],
    ['{"id":"ch\\ud800"}'], ['{"id":"ch\\udc00\\ud800"}'], ['{"id":"ch\\ufffd"}'],
    [raw('{"id":"ch', 0)], [raw('{"id":"ch', 0xff)], [raw('{"id":"ch_1","a":"', 0xc3)], [raw('{"id":"ch_1","a":"', 0xed, 0xa0, 0x80)],
    ['\ufeff{"id":"ch_1"}'],
    ['{"id":""}'], ['{"id":1}'], ['{"id":null}'], ['{"id":["ch_1"]}'], ['{}'],
    ['[{"id":"ch_1"}]'], ['["id"]'], ['"id"'], ['null'], [''],
  ];
  for (const [text, id] of table) assert.equal(chargeID(Buffer.from(text)), id, text.toString());
});

test('a charge whose id cannot be kept may have been made, and stays pending', async () => {
  const [provider, keys, payments, request] = await rig();
  const raw = Buffer.from('{"id":"ch_"}');
  raw[raw.length - 3] = 0xff;
  for (const [i, answer] of ['{"id":"ch\\u0000"}', raw, '{"id":"ch\\ud800"}', `{"id":"${'\u00e9'.repeat(256)}"}`].entries()) {
    provider.answer = answer;
    await assert.rejects(payments.pay({ ...request, key: `k${i}` }), Unknown);
  }
  await age(keys, request.caller, keys.settings.lease);
  await payments.reconcile();
  assert.deepEqual(await ordersOf(keys, request), []);
  assert.equal((await keys.db.rows('SELECT 1 FROM idempotency_keys WHERE caller = $1 AND status IS NULL AND intent IS NOT NULL', request.caller)).length, 4);
  provider.answer = `{"id":"${'\u00e9'.repeat(255)}"}`;
  assert.equal((await payments.pay({ ...request, key: 'kept' })).status, 201);
  await keys.db.change('DELETE FROM idempotency_keys WHERE caller = $1', request.caller);
});

// What a later refusal means is all in its marker: the charge was made and its
// answer lost, and "already paid" says nothing of the first who asked.
for (const status of [400, 402, 422]) {
  test(`a later refusal (${status}) declines nothing`, async () => {
    const [provider, keys, payments, request] = await rig({}, 0, status, status);
    await assert.rejects(payments.pay(request), Unknown);
    await age(keys, request.caller, keys.settings.lease);
    await assert.rejects(payments.pay(request), Unknown);
    await age(keys, request.caller, keys.settings.lease);
    await payments.reconcile();
    assert.equal(provider.asked.length, 3);
    assert.deepEqual(await ordersOf(keys, request), []);
    assert.equal((await keys.db.rows('SELECT 1 FROM idempotency_keys WHERE caller = $1 AND status IS NULL AND intent IS NOT NULL', request.caller)).length, 1);
    await age(keys, request.caller, keys.settings.lease);
    await payments.reconcile(); // it answers what it did
    assert.deepEqual(await ordersOf(keys, request), [{ charge_id: [...provider.charges.values()][0] }]);
  });
}

test('what is unresolved is told when it changes, and without secrets', async () => {
  const [, keys, , request] = await rig({}, 500, 500);
  const said: string[] = [];
  const payments = new Payments(keys, (message) => { if (message.startsWith('unresolved')) said.push(message); });
  const tells = async (want?: RegExp) => {
    said.length = 0;
    await payments.tell();
    assert.equal(said.length, want ? 1 : 0, said.join());
    if (want) assert.match(said[0]!, want);
    assert.ok(!said.join().includes(request.caller));
  };
  await keys.db.change('DELETE FROM idempotency_keys');
  await tells(/^unresolved payments: 0 asked again, 0 to be looked up, the oldest of 0s$/);
  await tells();
  await assert.rejects(payments.pay(request), Unknown);
  await tells(); // its owner may be asking still
  await age(keys, request.caller, keys.settings.lease);
  await tells(/: 1 asked again, 0 to be looked up, the oldest of 3\ds$/);
  await tells();
  await age(keys, request.caller, keys.settings.providerRetention);
  await tells(/: 0 asked again, 1 to be looked up, the oldest of 864\d\ds$/);
  const text = await readFile(join(keys.settings.schema, keys.dialect.schema), 'utf8');
  const query = text.split('-- UNRESOLVED.')[1]!.split('-- What the operations make.')[0]!.split('\n')
    .filter((line) => line.startsWith('--   ')).map((line) => line.slice(5)).join('\n');
  assert.deepEqual((await keys.db.rows(query)).map((row) => row['caller']), [request.caller]);
  await keys.db.change('DELETE FROM idempotency_keys WHERE caller = $1', request.caller); // by somebody who looked it up
  await tells(/: 0 asked again, 0 to be looked up, the oldest of 0s$/);
});

test('a late owner gets what the one who took over made', async () => {
  const [provider, keys, payments, request] = await rig();
  provider.meanwhile = async () => {
    provider.meanwhile = async () => {};
    await keys.db.change('UPDATE idempotency_keys SET lease_until = 0 WHERE caller = $1', request.caller);
    await payments.reconcile();
  };
  const answer = await payments.pay(request);
  assert.deepEqual([answer.status, answer.replayed], [201, true]);
  assert.equal(new Set(provider.asked).size, 1);
  assert.equal(provider.asked.length, 2);
  assert.equal((await ordersOf(keys, request)).length, 1);
});

test('of many who reconcile at once one asks', async () => {
  const [provider, keys, payments, request] = await rig({}, 500);
  await assert.rejects(payments.pay(request), Unknown);
  await age(keys, request.caller, keys.settings.lease);
  const { port } = provider.server.address() as AddressInfo;
  const replica = new Payments(await open({ PROVIDER_URL: `http://127.0.0.1:${port}` }), () => {});
  await Promise.all([replica, replica, replica, replica].map((one) => one.reconcile()));
  assert.equal(provider.asked.length, 2);
  assert.equal((await ordersOf(keys, request)).length, 1);
});

test('what the provider declines is a result, and kept', async () => {
  const [provider, keys, payments, request] = await rig({}, 402);
  const answers = [await payments.pay(request), await payments.pay(request)];
  assert.deepEqual(answers.map(({ status, replayed }) => [status, replayed]), [[402, undefined], [402, true]]);
  assert.equal(provider.asked.length, 1);
  assert.deepEqual(await ordersOf(keys, request), []);
});

test('what the provider may have forgotten is not asked again', async () => {
  const [provider, keys, payments, request] = await rig({}, 500);
  await assert.rejects(payments.pay(request), Unknown);
  // The last time would have to be there before it forgets.
  await age(keys, request.caller, keys.settings.providerRetention - 10_000);
  await assert.rejects(payments.pay(request), Unresolved);
  await age(keys, request.caller, keys.settings.lease);
  await payments.reconcile();
  assert.equal(provider.asked.length, 1);
  await keys.sweep();
  assert.equal((await keys.db.rows('SELECT intent FROM idempotency_keys WHERE caller = $1', request.caller)).length, 1);
  await keys.db.change('DELETE FROM idempotency_keys WHERE caller = $1', request.caller); // by somebody who looked it up
});

test('one that cannot be read does not stop the others', async () => {
  const [, keys, payments, request] = await rig({}, 500);
  await keys.transaction(async (tx) => { await keys.intend(tx, await keys.claim(tx, { ...request, key: 'torn' }), '{'); });
  await assert.rejects(payments.pay(request), Unknown);
  await age(keys, request.caller, keys.settings.lease);
  await payments.reconcile();
  assert.equal((await ordersOf(keys, request)).length, 1);
});

test('an intent that grows old while others are asked for is not asked again', async () => {
  const [provider, keys, payments, request] = await rig({}, 500, 500);
  for (const key of ['one', 'two']) await assert.rejects(payments.pay({ ...request, key }), Unknown);
  await age(keys, request.caller, keys.settings.lease);
  provider.meanwhile = () => age(keys, request.caller, keys.settings.providerRetention);
  await payments.reconcile();
  assert.equal(provider.asked.length, 3);
  assert.equal((await ordersOf(keys, request)).length, 1);
  await keys.db.change('DELETE FROM idempotency_keys WHERE caller = $1', request.caller); // by somebody who looked it up
});

test('nothing is claimed where there is no provider', async () => {
  const [, , , request] = await rig();
  const keys = await open();
  await assert.rejects(new Payments(keys, () => {}).pay(request), NoProvider);
  assert.deepEqual(await keys.db.rows('SELECT idempotency_key FROM idempotency_keys WHERE caller = $1', request.caller), []);
});
