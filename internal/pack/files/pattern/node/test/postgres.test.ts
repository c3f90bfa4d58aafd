import assert from 'node:assert/strict';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { after, test } from 'node:test';
import { openDatabase } from '../database.ts';
import { openPostgres } from '../postgres.ts';

test('a database that says nothing more is not waited for', async () => {
  const sockets: Socket[] = [];
  const mute = createServer((socket) => {
    sockets.push(socket.on('error', () => {}));
    // AuthenticationOk and ReadyForQuery, and then silence.
    socket.once('data', () => { socket.write(Buffer.from('520000000800000000' + '5a0000000549', 'hex')); });
  });
  await new Promise<void>((resolve) => { mute.listen(0, '127.0.0.1', resolve); });
  after(() => { sockets.forEach((socket) => { socket.destroy(); }); mute.close(); });
  const db = openPostgres(`postgres://u@127.0.0.1:${(mute.address() as AddressInfo).port}/d?sslmode=disable`, 100);
  await assert.rejects(db.transaction(async () => {}), /timeout/);
  await assert.rejects(db.rows('SELECT 1'), /timeout/);
  assert.equal(sockets.length, 2); // the first connection was not used again
  await db.close();
});

test('the level of isolation is the one that waiting for a row needs', async () => {
  const address = process.env['TEST_DATABASE_URL'] ?? '';
  if (!address.startsWith('postgres')) return; // SQLite has no levels
  const db = await openDatabase(`${address}${address.includes('?') ? '&' : '?'}options=-c%20default_transaction_isolation%3Dserializable`);
  const show = 'SHOW transaction_isolation';
  assert.deepEqual(await db.rows(show), [{ transaction_isolation: 'serializable' }]);
  assert.deepEqual(await db.transaction((tx) => tx.rows(show)), [{ transaction_isolation: 'read committed' }]);
  await db.close();
});
