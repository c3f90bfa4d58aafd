// A request as understood: caller, key, body, fingerprint. All of it is checked
// before a key is claimed, so that the corrected request may use the same one.

import { createHash, randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Refusal } from './answer.ts';
import { Ambiguous, canonical, readObject, type Json, type JsonObject } from './canonical.ts';
import type { Ask } from './reserve.ts';
import type { Settings } from './settings.ts';

/** What is bought. The cart's version tells buying it again from a retry. */
export interface Checkout {
  tenant: string;
  cart: { id: string; version: number };
  amount: number; // minor units
  currency: string;
}

export interface Request extends Ask {
  checkout: Checkout;
}

/** Understands a request, or throws a Refusal. */
export async function readRequest(req: IncomingMessage, settings: Settings): Promise<Request> {
  let key = keyOf(req);
  if (settings.wrong === 'server-made-key') key = randomUUID(); // WRONG: a retry brings the same key, and gets another
  if (!/^application\/json[\t ]*(;|$)/i.test(req.headers['content-type'] ?? '')) throw new Refusal(415, 'media-type', 'send application/json');
  const body = readCheckout(await readBody(req));
  return { caller: callerOf(req), key, fingerprint: fingerprint(req.method!, targetOf(req), body), checkout: body as unknown as Checkout };
}

/** The values of a header field. Of some fields Node's own lists would drop all
 * but the first value, and join those of others. */
function values(req: IncomingMessage, name: string): string[] {
  return req.rawHeaders.filter((_, i) => i % 2 === 1 && req.rawHeaders[i - 1]!.toLowerCase() === name);
}

/** Names who sends a request by a digest of the credentials, which are kept
 * nowhere. Who may call at all is for what stands in front to say. */
export function callerOf(req: IncomingMessage): string {
  return createHash('sha256').update(`caller\n${values(req, 'authorization').join('\n')}`, 'latin1').digest('hex');
}

/** The caller's key: it alone knows which requests are one intent. */
function keyOf(req: IncomingMessage): string {
  const [key, ...more] = values(req, 'idempotency-key');
  if (key === undefined) throw new Refusal(400, 'key-missing', 'send an Idempotency-Key: one for each intent, the same one with every retry');
  if (more.length > 0 || !/^[!-~]{1,255}$/.test(key)) {
    throw new Refusal(400, 'key-invalid', 'an Idempotency-Key is 1 to 255 printable ASCII characters without spaces, sent once');
  }
  return key;
}

/** Path and query as sent, also where a proxy sends the whole URL (RFC 9112, 3.2.2). */
export function targetOf(req: IncomingMessage): string {
  return req.url!.replace(/^https?:\/\/[^/?#]*/i, '') || '/';
}

export const maxBody = 64 << 10;
const bodyTime = 10_000; // milliseconds

/** Reads a body to its end. A caller who sends too much or too slowly is not
 * waited for. */
async function readBody(req: IncomingMessage): Promise<Buffer> {
  const close = { Connection: 'close' }; // what is still to come is not read
  const tooLarge = new Refusal(413, 'body-too-large', 'a body has at most 64 KiB', close);
  if (Number(req.headers['content-length'] ?? 0) > maxBody) throw tooLarge;
  const chunks: Buffer[] = [];
  let size = 0;
  return new Promise<Buffer>((resolve, reject) => {
    const patience = setTimeout(() => reject(new Refusal(408, 'body-too-slow', 'the body did not arrive in time', close)), bodyTime);
    req.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= maxBody) chunks.push(chunk);
      else reject(tooLarge);
    });
    req.on('end', () => resolve(Buffer.concat(chunks)));
    req.on('error', () => reject(new Refusal(400, 'body-malformed', 'the body did not arrive whole', close)));
    req.on('close', () => clearTimeout(patience));
  });
}

/** Reads a body strictly: what is not understood is refused, so that nothing that
 * the fingerprint covers is ignored, and nothing is understood that it does not
 * cover. */
function readCheckout(bytes: Buffer): JsonObject {
  let body: JsonObject;
  try {
    body = readObject(bytes);
  } catch (error) {
    if (error instanceof Ambiguous) throw new Refusal(400, 'body-malformed', error.message);
    throw error;
  }
  const { tenant, cart, amount, currency, customer, sent_at: sentAt } = body;
  const shaped = members(body, ['tenant', 'cart', 'amount', 'currency'], ['customer', 'sent_at'])
    && members(cart, ['id', 'version'])
    && (customer === undefined || members(customer, ['email']) && typeof customer['email'] === 'string')
    && (sentAt === undefined || typeof sentAt === 'string');
  if (!shaped) {
    throw invalid('the body is not {tenant, cart: {id, version}, amount, currency} with, perhaps, customer: {email} and sent_at');
  }
  if (!isID(tenant)) throw invalid('/tenant is no text of 1 to 64 characters');
  if (!isID(cart['id'])) throw invalid('/cart/id is no text of 1 to 64 characters');
  if (!isCount(cart['version'])) throw invalid('/cart/version is no whole number from 1 on');
  if (!isCount(amount)) throw invalid('/amount is no whole number of minor units from 1 on');
  if (typeof currency !== 'string' || !/^[A-Z]{3}$/.test(currency)) throw invalid('/currency is not three capital letters');
  return body;
}

function invalid(detail: string): Refusal {
  return new Refusal(422, 'body-invalid', detail);
}

/** Whether a value is an object with all of these members, and no others but those
 * that it may have. */
function members(value: Json | undefined, all: string[], may: string[] = []): value is JsonObject {
  if (value === undefined || value === null || typeof value !== 'object' || Array.isArray(value)) return false;
  return all.every((name) => Object.hasOwn(value, name))
    && Object.keys(value).every((name) => all.includes(name) || may.includes(name));
}

export function isID(value: Json | undefined): value is string {
  return typeof value === 'string' && value !== '' && value.length <= 128 && [...value].length <= 64 && !/\p{Cc}/u.test(value);
}

function isCount(value: Json | undefined): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 1;
}

/** Tells one request from another: method, target and body in their canonical
 * form, so that spaces and the order of members make no difference, and every
 * value does. When an attempt was sent makes none either. */
export function fingerprint(method: string, target: string, body: JsonObject): string {
  const { sent_at: _, ...operation } = body;
  return createHash('sha256').update(`${method}\n${target}\n${canonical(operation)}`).digest('hex');
}
