// HTTP: which answer is for whom.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { json, later, problem, Refusal, type Answer } from './answer.ts';
import { codeOf } from './dialects.ts';
import { insertOrder, made, newOrder, orders } from './orders.ts';
import { NoProvider, Unknown, Unresolved, type Payments } from './payments.ts';
import { callerOf, isID, readRequest, targetOf } from './request.ts';
import { Conflict, InFlight, Lost, type Keys } from './reserve.ts';

/** Makes the service. It logs no key, no credentials, no address and no body. */
export function service(keys: Keys, payments: Payments, log: (message: string) => void): Server {
  const server = createServer({ maxHeaderSize: 32 << 10, connectionsCheckingInterval: 1_000 }, (req, res) => {
    // A caller who hangs up changes nothing: what was begun is finished, and is
    // there for the retry.
    res.on('error', () => {});
    answerTo(req, keys, payments)
      .catch((error: unknown) => refusalOf(error, log))
      .then((answer) => { send(req, res, answer); }, () => { res.destroy(); });
  });
  server.headersTimeout = 10_000;
  server.requestTimeout = 30_000;
  server.keepAliveTimeout = 120_000;
  server.maxConnections = 2_048;
  server.on('clientError', refuseRaw);
  return server;
}

const allowed: Record<string, string> = { '/v1/checkouts': 'POST', '/v1/payments': 'POST', '/v1/orders': 'GET', '/healthz': 'GET' };

async function answerTo(req: IncomingMessage, keys: Keys, payments: Payments): Promise<Answer> {
  const [path = '', query = ''] = targetOf(req).split(/\?(.*)/s);
  const id = /^\/v1\/orders\/([^/]+)$/.exec(path)?.[1];
  const allow = allowed[path] ?? (id === undefined ? '' : 'GET');
  if (!allow) return notFound();
  const method = req.method === 'HEAD' ? 'GET' : req.method;
  if (method !== allow) {
    return { ...problem(405, 'method', 'the path does not have this method'), headers: { Allow: allow } };
  }
  switch (path) {
    case '/v1/checkouts': return checkout(req, keys);
    case '/v1/payments': return payments.pay(await readRequest(req, keys.settings));
    case '/v1/orders': return listOrders(new URLSearchParams(query).getAll('cart_id'), keys);
    case '/healthz':
      await keys.db.rows('SELECT 1 AS up');
      return json(200, { status: 'ok' });
  }
  const [found] = await orders(keys.db, 'id', id!);
  return found?.caller === callerOf(req) ? json(200, found.order) : notFound();
}

/** Makes an order, which is all in our own database. */
async function checkout(req: IncomingMessage, keys: Keys): Promise<Answer> {
  const request = await readRequest(req, keys.settings);
  return keys.reserve(request, async (tx) => {
    const order = newOrder(request);
    await insertOrder(tx, request.caller, order);
    return made(order);
  });
}

/** Shows what was really made of a cart, whoever made it, to be counted. A real
 * shop shows each caller its own. */
async function listOrders(carts: string[], keys: Keys): Promise<Answer> {
  const [cart] = carts;
  if (carts.length !== 1 || !isID(cart)) return problem(400, 'cart-missing', 'name the cart by the query parameter cart_id, once');
  return json(200, { data: (await orders(keys.db, 'cart_id', cart)).map(({ order }) => order) });
}

function notFound(): Answer {
  return problem(404, 'not-found', 'there is nothing here');
}

/** Answers an error. None of these answers is kept: the same request may get
 * another one later. */
function refusalOf(error: unknown, log: (message: string) => void): Answer {
  if (error instanceof Refusal) return error.answer;
  if (error instanceof Conflict) return problem(422, 'key-conflict', 'the key was used for another request');
  if (error instanceof InFlight || error instanceof Lost) return later(409, 'in-flight', 'the first request with this key is still being worked on');
  if (error instanceof Unknown) return later(503, 'effect-unknown', 'whether the provider was paid is not known yet');
  if (error instanceof NoProvider) return problem(503, 'no-provider', 'there is no payment provider');
  if (error instanceof Unresolved) {
    log('an intent is older than what the provider remembers: somebody has to look it up there');
    return problem(503, 'effect-unresolved', 'whether the provider was paid is not known, and it may not remember');
  }
  // Nothing is known to have happened, the commit included: the retry tells. A
  // driver's message may hold values, its code does not.
  log(`the database failed: ${codeOf(error) || (error instanceof Error ? error.name : 'error')}`);
  return later(503, 'store-unavailable', 'the database could not be used');
}

function headersOf(answer: Answer): Record<string, string> {
  return {
    'Content-Type': answer.contentType,
    'Content-Length': String(Buffer.byteLength(answer.body)),
    'Cache-Control': 'no-store',
    ...(answer.location === undefined ? {} : { Location: answer.location }),
    ...(answer.replayed ? { 'Idempotent-Replayed': 'true' } : {}),
    ...answer.headers,
  };
}

const lingering = 1_000; // milliseconds in which a refused caller can read why

function send(req: IncomingMessage, res: ServerResponse, answer: Answer): void {
  res.writeHead(answer.status, headersOf(answer)).end(answer.body);
  if (req.complete) return;
  req.resume(); // what still comes is thrown away, and not for long
  setTimeout(() => { req.socket.destroy(); }, lingering).unref();
}

/** Answers what is not HTTP, or came too slowly or too large to be understood. */
function refuseRaw(error: Error, socket: Socket): void {
  if (codeOf(error) === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const status = { ERR_HTTP_REQUEST_TIMEOUT: 408, HPE_HEADER_OVERFLOW: 431 }[codeOf(error)] ?? 400;
  const answer = problem(status, 'request-malformed', 'the request could not be read');
  const lines = Object.entries({ ...headersOf(answer), Connection: 'close' }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} Refused\r\n${lines.join('')}\r\n${answer.body}`);
}
