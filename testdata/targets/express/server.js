'use strict';
// A charges API whose idempotency is the express-idempotency middleware with
// its own defaults. Its effects are lines in a file, so that they can be
// counted from outside and outlive the process. HANDLER picks the route's form:
//
//   plain   never asks the middleware whether the request was answered already
//   is-hit  asks, and then leaves the request alone, as the package's README says
//
//   PORT=8082 EFFECTS_FILE=effects.txt HANDLER=plain node server.js

const { randomUUID } = require('node:crypto');
const fs = require('node:fs');
const { setTimeout: pause } = require('node:timers/promises');
const express = require('express');
const { idempotency, getSharedIdempotencyService } = require('express-idempotency');

const { PORT = '8082', EFFECTS_FILE, HANDLER, AFTER_EFFECT_MS = '40' } = process.env;
if (!EFFECTS_FILE || !['plain', 'is-hit'].includes(HANDLER)) {
  console.error('server.js: set EFFECTS_FILE to a file, and HANDLER to plain or is-hit');
  process.exit(2);
}
const effects = fs.openSync(EFFECTS_FILE, 'a', 0o600);

// The effect: one whole line, on disk before the answer.
function charged(order) {
  fs.writeSync(effects, order + '\n');
  fs.fsyncSync(effects);
}

async function charge(req, res) {
  const { order_id, amount, currency } = req.body ?? {};
  if (typeof order_id !== 'string' || !/^.+$/.test(order_id)) {
    return res.status(400).json({ error: 'order_id must be a text of one line' });
  }
  charged(order_id);
  await pause(Number(AFTER_EFFECT_MS));
  res.status(201).json({ id: 'ch_' + randomUUID(), order_id, amount, currency });
}

async function chargeUnlessHit(req, res) {
  if (getSharedIdempotencyService().isHit(req)) return;
  await charge(req, res);
}

const app = express();
app.get('/healthz', (req, res) => res.send('ok'));
app.use(express.json());
app.use(idempotency());
app.post('/v1/charges', HANDLER === 'plain' ? charge : chargeUnlessHit);

// The middleware sets 409 or 417 and passes an error on. A plain handler's
// second answer comes by here too: the first is out, and there is nothing to add.
app.use((err, req, res, next) => {
  if (res.headersSent) return;
  const status = err.status ?? (res.statusCode >= 400 ? res.statusCode : 500);
  res.status(status).json({ error: err.message });
});

app.listen(Number(PORT), '127.0.0.1', (err) => {
  if (err) throw err;
});
