// What is made: by a checkout alone, or with a charge at the payment provider.

import { randomUUID } from 'node:crypto';
import { json, type Answer } from './answer.ts';
import type { Row, Statements } from './database.ts';
import type { Request } from './request.ts';

export interface Order {
  id: string;
  tenant: string;
  cart_id: string;
  cart_version: number;
  amount: number;
  currency: string;
  charge_id?: string;
  created: string; // RFC 3339
}

export function newOrder({ checkout: { tenant, cart, amount, currency } }: Request): Order {
  return {
    id: `ord_${randomUUID().replaceAll('-', '')}`, tenant, cart_id: cart.id, cart_version: cart.version, amount, currency,
    created: new Date().toISOString(),
  };
}

/** The answer to whoever made the order. */
export function made(order: Order): Answer {
  return { ...json(201, order), location: `/v1/orders/${order.id}` };
}

export async function insertOrder(tx: Statements, caller: string, order: Order): Promise<void> {
  await tx.change(`INSERT INTO orders (id, caller, tenant, cart_id, cart_version, amount, currency, charge_id, created_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    order.id, caller, order.tenant, order.cart_id, order.cart_version, order.amount, order.currency,
    order.charge_id ?? null, Date.parse(order.created));
}

const maxOrders = 1000; // bounds a list

/** Reads orders by a column, each with who made it. */
export async function orders(db: Statements, column: 'id' | 'cart_id', value: string): Promise<{ caller: string; order: Order }[]> {
  const rows = await db.rows(`SELECT id, caller, tenant, cart_id, cart_version, amount, currency, charge_id, created_at
    FROM orders WHERE ${column} = $1 ORDER BY created_at, id LIMIT ${maxOrders}`, value);
  return rows.map((row) => ({ caller: String(row['caller']), order: orderOf(row) }));
}

function orderOf(row: Row): Order {
  return {
    id: String(row['id']), tenant: String(row['tenant']), cart_id: String(row['cart_id']), cart_version: Number(row['cart_version']),
    amount: Number(row['amount']), currency: String(row['currency']),
    ...(row['charge_id'] === null ? {} : { charge_id: String(row['charge_id']) }),
    created: new Date(Number(row['created_at'])).toISOString(),
  };
}
