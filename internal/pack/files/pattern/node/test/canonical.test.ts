import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Ambiguous, canonical, exact, readObject } from '../canonical.ts';

const read = (text: string | Uint8Array) =>
  canonical(readObject(typeof text === 'string' ? new TextEncoder().encode(text) : text));

test('payloads that mean the same have one canonical form', () => {
  for (const [text, form] of [
    ['{"b":1,"a":2}', '{"a":2,"b":1}'],
    [' {"a" : [ true , null,false ] }\n', '{"a":[true,null,false]}'],
    ['{"\\u0061":"\\/\\u00e9\\u0000"}', '{"a":"/é\\u0000"}'],
    ['{"a":[1.0,1e2,10E-1,-0,-0.0,0e999]}', '{"a":[1,100,1,0,0,0]}'],
    ['{"a":[9007199254740992,5e-324,1.7976931348623157e308,1e21]}', '{"a":[9007199254740992,5e-324,1.7976931348623157e+308,1e+21]}'],
    ['{"\\ufb33":1,"\\ud83d\\ude02":2}', '{"\u{1f602}":2,"\ufb33":1}'],
    ['{"__proto__":{"a":1},"constructor":2}', '{"__proto__":{"a":1},"constructor":2}'],
    ['{"a":{},"b":[],"":""}', '{"":"","a":{},"b":[]}'],
    ['{"a":":\\"{,","b":":"}', '{"a":":\\"{,","b":":"}'],
  ] as const) assert.equal(read(text), form);
});

test('what cannot be told apart is refused', () => {
  for (const text of [
    '{"a":9007199254740993}', '{"a":-9007199254740993}', '{"a":1152921504606846976}', '{"a":0.30000000000000001}',
    '{"a":1e400}', '{"a":-1e400}', '{"a":1e-400}', '{"a":1e99999999999999999999}', '{"a":123456789012345678901234567890}',
    '{"a":1,"a":2}', '{"a":1,"\\u0061":1}', '{"x":[{"a":{},"a":[]}]}', '{"__proto__":1,"__proto__":2}',
    '{"a":"\\ud800"}', '{"a":"\\udc00\\ud800"}', '{"\\ud800":1}', '{"a":["\\ud83d x"]}',
    '', ' ', '[]', '1', '"a"', 'null', '{', '{"a":1}{}', '{"a":01}', '{"a":+1}', '{"a":NaN}', "{'a':1}", '{"a":1,}', '\ufeff{}',
    `${'{"a":'.repeat(100)}1${'}'.repeat(100)}`, `{"a":${'['.repeat(500_000)}${']'.repeat(500_000)}}`,
    new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]),
    new Uint8Array([0x7b, 0x22, 0xed, 0xa0, 0x80, 0x22, 0x3a, 0x31, 0x7d]), // a surrogate in UTF-8
  ]) assert.throws(() => read(text), Ambiguous, `accepted ${String(text).slice(0, 60)}`);
});

test('a number is exact if its shortest digits are its own', () => {
  for (const number of ['0', '-0', '0.000', '0e99999999999999999999', '1', '-1.50', '1e2', '0.1', '1e-7', '123.40',
    `1${'0'.repeat(22)}`, `0.5${'0'.repeat(500_000)}`]) assert.equal(exact(number), true, number.slice(0, 40));
  for (const number of ['9007199254740993', '1e309', '4e-324', '1e-400', `1${'0'.repeat(400)}`,
    `0.1${'0'.repeat(500_000)}1`]) assert.equal(exact(number), false, number.slice(0, 40));
});

function deep(text: string): boolean {
  let depth = 0;
  return [...text].some((c) => (depth += Number('[{'.includes(c)) - Number(']}'.includes(c))) >= 16);
}

// The project's own cases, where the test is told where they are.
const cases = process.env['CANONICAL_CASES'];
test('the cases of the specification', { skip: cases ? false : 'CANONICAL_CASES names no file' }, () => {
  let tried = 0;
  for (const c of JSON.parse(readFileSync(cases!, 'utf8')) as { why: string; input_base64: string; canonical?: string }[]) {
    const wrapped = Buffer.concat([Buffer.from('{"v":'), Buffer.from(c.input_base64, 'base64'), Buffer.from('}')]);
    if (deep(c.canonical ?? '')) continue; // this service takes 16 levels, the specification 1,000
    if (c.canonical === undefined) assert.throws(() => read(wrapped), Ambiguous, c.why);
    else assert.equal(read(wrapped), `{"v":${c.canonical}}`, c.why);
    tried++;
  }
  assert.ok(tried > 30, `${tried} cases`);
});
