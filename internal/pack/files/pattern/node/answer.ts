import { timingSafeEqual } from 'node:crypto';
import { STATUS_CODES } from 'node:http';

/** What a caller gets. The first four members are the result that is kept of an
 * operation; a retry gets them again, byte for byte. */
export interface Answer {
  status: number;
  contentType: string;
  location?: string;
  body: string;
  replayed?: boolean;
  headers?: Record<string, string>; // of refusals, which are not kept
}

export function json(status: number, value: unknown): Answer {
  return { status, contentType: 'application/json', body: JSON.stringify(value) };
}

/** A refusal (RFC 9457). Its detail shows nothing of what was sent. */
export function problem(status: number, slug: string, detail: string): Answer {
  const body = { type: `/problems/${slug}`, title: STATUS_CODES[status] ?? 'Error', status, detail };
  return { status, contentType: 'application/problem+json', body: JSON.stringify(body) };
}

/** A refusal of what may be sent again in a second. */
export function later(status: number, slug: string, detail: string): Answer {
  return { ...problem(status, slug, detail), headers: { 'Retry-After': '1' } };
}

/** Ends the handling of a request that is not even tried. */
export class Refusal extends Error {
  readonly answer: Answer;
  constructor(status: number, slug: string, detail: string, headers: Record<string, string> = {}) {
    super(slug);
    this.answer = { ...problem(status, slug, detail), headers };
  }
}

/** Compares digests without telling by the time how much of them is right. */
export function same(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
}
