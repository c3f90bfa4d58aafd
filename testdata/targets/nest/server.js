'use strict';
// A charges API on NestJS whose idempotency is the interceptor of
// @node-idempotency/nestjs with its memory storage. Its effects are lines in a
// file, so that they can be counted from outside and outlive the process.
//
//   PORT=8085 EFFECTS_FILE=effects.txt EXPIRY=20 node server.js
//
// Decorators are called as functions: plain Node has no syntax for them.

require('reflect-metadata');
const { randomUUID } = require('node:crypto');
const fs = require('node:fs');
const { setTimeout: pause } = require('node:timers/promises');
const { Body, Controller, Get, Headers, HttpException, Module, Post } = require('@nestjs/common');
const { NestFactory } = require('@nestjs/core');
const { Idempotent, NodeIdempotencyModule } = require('@node-idempotency/nestjs');

const { PORT = '8085', EFFECTS_FILE, EXPIRY = '20', AFTER_EFFECT_MS = '40' } = process.env;
if (!EFFECTS_FILE) {
  console.error('server.js: set EFFECTS_FILE to a file');
  process.exit(2);
}
const effects = fs.openSync(EFFECTS_FILE, 'a', 0o600);
const failedOnce = new Set();

// The effect: one whole line, on disk before the answer.
function write(line) {
  fs.writeSync(effects, line + '\n');
  fs.fsyncSync(effects);
}

async function made(prefix, effect, body, headers) {
  const { order_id, amount, currency } = body ?? {};
  if (typeof order_id !== 'string' || !/^.+$/.test(order_id)) {
    throw new HttpException({ error: 'order_id must be a text of one line' }, 400);
  }
  if (amount === 0) throw new HttpException({ error: 'nothing to pay' }, 402);
  if (headers['x-test-fail'] === 'once' && !failedOnce.has(order_id)) {
    failedOnce.add(order_id);
    throw new Error('failed, as the test asked');
  }
  write(effect + order_id);
  await pause(Math.max(Number(AFTER_EFFECT_MS), Number(headers['x-test-work-ms'] ?? 0)));
  return { id: prefix + randomUUID(), order_id, amount, currency };
}

class Charges {
  healthz() { return 'ok'; }
  charge(body, headers) { return made('ch_', '', body, headers); }
  refund(body, headers) { return made('re_', 'refund ', body, headers); }
}

function route(name, ...decorators) {
  const descriptor = Object.getOwnPropertyDescriptor(Charges.prototype, name);
  for (const decorate of decorators) decorate(Charges.prototype, name, descriptor);
  Object.defineProperty(Charges.prototype, name, descriptor);
  if (name === 'healthz') return;
  Body()(Charges.prototype, name, 0);
  Headers()(Charges.prototype, name, 1);
}
Controller()(Charges);
route('healthz', Get('/healthz'));
route('charge', Post('/v1/charges'), Idempotent());
route('refund', Post('/v1/refunds'), Idempotent());

class App {}
Module({
  imports: [NodeIdempotencyModule.forRootAsync({
    storage: { adapter: 'memory' },
    cacheTTLMS: Number(EXPIRY) * 1000,
  })],
  controllers: [Charges],
})(App);

NestFactory.create(App, { logger: false }).then((app) => app.listen(Number(PORT), '127.0.0.1'));
