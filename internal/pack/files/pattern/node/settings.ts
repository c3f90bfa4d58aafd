// The settings, all from the environment, where secrets belong.

import { fileURLToPath } from 'node:url';

const wrongs = ['', 'no-expiry', 'key-without-result', 'server-made-key', 'key-outside-transaction'] as const;

export interface Settings {
  host: string;
  port: number;
  databaseURL: string; // may hold a password, and is never shown
  schema: string; // the folder of the .sql files
  retention: number; // how long a result is kept, from its own time on; milliseconds, as all of these
  lease: number; // how long a silent owner keeps its claim
  providerURL: string; // base URL of the payment provider; empty: no payments
  providerRetention: number; // how long the provider remembers its own keys
  answerDelay: number; // a pause after each commit, for crash tests
  wrong: (typeof wrongs)[number];
}

/** Reads the environment. An error names the variable and never shows its value. */
export function settings(env: NodeJS.ProcessEnv): Settings {
  const listen = /^(?:\[([0-9a-f:.]+)\]|([^:[\]]+)):(\d{1,5})$/i.exec(env['LISTEN'] || '127.0.0.1:8080');
  if (!listen || Number(listen[3]) > 65_535) throw new Error('LISTEN is not HOST:PORT, such as 127.0.0.1:8080');
  const databaseURL = env['DATABASE_URL'];
  if (!databaseURL) throw new Error('DATABASE_URL is not set: postgres://USER@HOST/NAME or sqlite:FILE');
  const wrong = wrongs.find((name) => name === (env['WRONG'] ?? ''));
  if (wrong === undefined) throw new Error(`WRONG is none of ${wrongs.slice(1).join(', ')}`);
  return {
    host: listen[1] ?? listen[2]!,
    port: Number(listen[3]),
    databaseURL,
    schema: env['SCHEMA'] || fileURLToPath(new URL('../../schema', import.meta.url)), // from dist/
    retention: duration(env, 'RETENTION', '24h', 1),
    lease: duration(env, 'LEASE', '30s', 100),
    providerURL: provider(env['PROVIDER_URL'] ?? ''),
    providerRetention: duration(env, 'PROVIDER_RETENTION', '24h', 60_000),
    answerDelay: duration(env, 'ANSWER_DELAY', '0s', 0),
    wrong,
  };
}

const units: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** A duration such as 250ms, 5s, 1h30m or 24h, in milliseconds. */
function duration(env: NodeJS.ProcessEnv, name: string, usual: string, least: number): number {
  const text = env[name] || usual;
  let sum = 0;
  for (const [, count, unit] of text.matchAll(/(\d{1,9}(?:\.\d{1,9})?)(ms|s|m|h)/g)) sum += Number(count) * units[unit!]!;
  sum = Math.round(sum);
  if (!/^(\d{1,9}(\.\d{1,9})?(ms|s|m|h))+$/.test(text) || sum < least) {
    throw new Error(`${name} is no duration of at least ${least}ms, such as ${usual}`);
  }
  return sum;
}

function provider(text: string): string {
  if (!text) return '';
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password) {
    throw new Error('PROVIDER_URL is no http or https URL, without a user or password in it');
  }
  return text.replace(/\/$/, '');
}
