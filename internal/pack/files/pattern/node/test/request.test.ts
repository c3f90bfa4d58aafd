import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fingerprint } from '../request.ts';
import { settings } from '../settings.ts';

const body = () => ({ tenant: 'acme', cart: { id: 'c', version: 3 }, amount: 1999, currency: 'EUR' });

test('a fingerprint is of method, target and everything but the time of sending', () => {
  const first = fingerprint('POST', '/v1/checkouts', body());
  assert.match(first, /^[0-9a-f]{64}$/);
  assert.equal(fingerprint('POST', '/v1/checkouts', { ...body(), sent_at: 'now' }), first);
  assert.equal(fingerprint('POST', '/v1/checkouts', Object.fromEntries(Object.entries(body()).reverse())), first);
  for (const other of [
    fingerprint('PUT', '/v1/checkouts', body()),
    fingerprint('POST', '/v1/payments', body()),
    fingerprint('POST', '/v1/checkouts?x', body()),
    fingerprint('POST', '/v1/checkouts', { ...body(), amount: 2000 }),
    fingerprint('POST', '/v1/checkouts', { ...body(), amount: '1999' }),
    fingerprint('POST', '/v1/checkouts', { ...body(), cart: { id: 'c', version: 4 } }),
    fingerprint('POST', '/v1/checkouts', { ...body(), customer: { email: 'e' } }),
    fingerprint('POST', '/v1/checkouts', { ...body(), cart: { id: 'c', version: 3, sent_at: 'inside' } }),
  ]) assert.notEqual(other, first);
});

test('settings are read as they are meant, or refused by name', () => {
  const read = (env: Record<string, string>) => settings({ DATABASE_URL: 'sqlite:x', ...env });
  for (const [text, milliseconds] of [['5s', 5_000], ['1h30m', 5_400_000], ['0.5s', 500], ['24h', 86_400_000], ['100ms', 100]] as const) {
    assert.equal(read({ RETENTION: text }).retention, milliseconds);
  }
  assert.deepEqual([read({ LISTEN: '[::1]:80' }).host, read({ LISTEN: 'localhost:0' }).port], ['::1', 0]);
  assert.equal(read({ PROVIDER_URL: 'http://127.0.0.1:1/' }).providerURL, 'http://127.0.0.1:1');
  for (const [name, ...values] of [
    ['RETENTION', '5', 's', '-1s', '5 s', '1d', '0s'], ['LEASE', '99ms', 'NaN'], ['LISTEN', '8080', ':8080', 'a:b', '::1:80'],
    ['PROVIDER_URL', 'x', 'file:///x', 'http://secret@h'], ['WRONG', 'maybe'], ['DATABASE_URL', ''],
  ] as const) {
    for (const value of values) {
      assert.throws(() => read({ [name]: value }), (error: Error) => error.message.startsWith(name) && !error.message.includes('secret'));
    }
  }
});
