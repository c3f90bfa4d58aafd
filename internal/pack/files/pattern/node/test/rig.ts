import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { after } from 'node:test';
import { Keys } from '../reserve.ts';
import { settings } from '../settings.ts';

const folder = mkdtempSync(join(tmpdir(), 'pattern-'));
const opened: Keys[] = [];
after(async () => {
  for (const keys of opened) await keys.db.close();
  rmSync(folder, { recursive: true });
});

/** Lets time pass for a caller's keys: lease, end and beginning are that much
 * earlier. */
export async function age(keys: Keys, caller: string, ms: number): Promise<void> {
  await keys.db.change(`UPDATE idempotency_keys SET lease_until = lease_until - $1, expires_at = expires_at - $1, created_at = created_at - $1
    WHERE caller = $2`, ms, caller);
}

/** Opens the database of TEST_DATABASE_URL, or a file of the test's own, in which
 * several may share what they do. */
export async function open(env: Record<string, string> = {}): Promise<Keys> {
  const keys = await Keys.open(settings({
    DATABASE_URL: process.env['TEST_DATABASE_URL'] || `sqlite:${join(folder, 'test.db')}`,
    SCHEMA: process.env['SCHEMA'] || fileURLToPath(new URL('../../../schema', import.meta.url)),
    ...env,
  }));
  opened.push(keys);
  return keys;
}
