// A small shop that can be asked twice and sells once: the idempotency pattern in
// TypeScript, on PostgreSQL or SQLite. In reading order:
//
//   reserve.ts    the heart: claim a key, do the work, keep the result, or none of it
//   payments.ts   an effect that is somebody else's: intent before, result after
//   request.ts    a request as understood: caller, key, body, fingerprint
//   canonical.ts  JSON that no two readers understand differently
//   orders.ts     what is made
//   service.ts    HTTP: which answer is for whom; answer.ts what an answer is
//   database.ts   statements and transactions; postgres.ts, sqlite.ts, dialects.ts
//   settings.ts   the environment
//
// WRONG names one of four ways in which it goes wrong. Each is one line, marked
// WRONG, to see what the check says of it; a real service has none of them.

import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { codeOf } from './dialects.ts';
import { Payments } from './payments.ts';
import { Keys } from './reserve.ts';
import { service } from './service.ts';
import { settings, type Settings } from './settings.ts';

const log = (message: string) => { console.error(`${new Date().toISOString()} ${message}`); };

/** Does something again and again until the signal, and says when it fails. */
async function keep(signal: AbortSignal, every: number, what: string, work: () => Promise<unknown>): Promise<void> {
  while (!signal.aborted) {
    await work().catch((error: unknown) => { log(`${what} failed: ${codeOf(error) || 'error'}`); });
    await sleep(every, undefined, { signal }).catch(() => {});
  }
}

async function run(read: Settings): Promise<void> {
  const keys = await Keys.open(read).catch((error: unknown) => {
    // A driver's message may hold the address.
    const code = codeOf(error);
    throw code ? new Error(`the database or its schema cannot be opened: ${code}`) : error;
  });
  const payments = new Payments(keys, log);
  const server = service(keys, payments, log);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(read.port, read.host, resolve);
  });
  const { address, port, family } = server.address() as AddressInfo;
  console.log(`listening on http://${family === 'IPv6' ? `[${address}]` : address}:${port}`);
  if (read.wrong) log(`this service is wrong on purpose: ${read.wrong}`);

  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => { stop.abort(); });
  const sweeping = keep(stop.signal, Math.min(Math.max(read.retention / 2, 100), 10_000), 'the sweep', () => keys.sweep());
  const reconciling = read.providerURL
    ? keep(stop.signal, read.lease / 2, 'reconciling', async () => { // told before and after: asking may take long, and may resolve it
      await payments.tell();
      await payments.reconcile();
      await payments.tell();
    }) : Promise.resolve();
  await once(stop.signal, 'abort');

  // What is under way is finished, for as long as that is to be expected. What is
  // asked of the provider may take longer, and the next start goes on with it.
  server.close();
  setTimeout(() => { process.exit(1); }, 10_000).unref();
  while (server.listening || await connections(server) > 0) await sleep(20);
  await Promise.all([sweeping, reconciling]);
  await keys.db.close();
}

function connections(server: ReturnType<typeof service>): Promise<number> {
  server.closeIdleConnections();
  return new Promise((resolve) => { server.getConnections((error, count) => { resolve(error ? 0 : count); }); });
}

try {
  await run(settings(process.env));
} catch (error) {
  console.error(`pattern: ${error instanceof Error ? error.message : 'failed'}`);
  process.exitCode = 2;
}
