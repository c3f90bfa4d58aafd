// JSON that no two readers understand differently, and its canonical form.
//
// JSON.parse alone would give two payloads one fingerprint: of 9007199254740993
// it makes 9007199254740992, of 1e400 Infinity, which JSON.stringify writes as
// null, of 1e-400 zero; of {"a":1,"a":2} it keeps the second; and a lone
// surrogate becomes U+FFFD in UTF-8, as another one does. What cannot be told
// apart is refused here, before any key is claimed.

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
export type JsonObject = { [name: string]: Json };

/** Says why a text is refused. It quotes nothing of the text. */
export class Ambiguous extends Error {}

const maxDepth = 16;

/** Reads one JSON object. Throws Ambiguous, with a reason for the caller. */
export function readObject(bytes: Uint8Array): JsonObject {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Ambiguous('the body is not UTF-8');
  }
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch {
    throw new Ambiguous('the body is not one JSON text');
  }
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    throw new Ambiguous('the body is not a JSON object');
  }
  checkTokens(text);
  return value;
}

/** RFC 8785: members by UTF-16 code unit, which is how JavaScript sorts; numbers
 * and strings as JSON.stringify writes them, which is what RFC 8785 prescribes. */
export function canonical(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const members = Object.keys(value).sort().map((name) => `${JSON.stringify(name)}:${canonical(value[name]!)}`);
  return `{${members.join(',')}}`;
}

// Every string, bracket, comma, number and word of a text whose syntax
// JSON.parse has checked already.
const token = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

function checkTokens(text: string): void {
  const names: Set<string>[] = []; // of the objects and arrays that are open here
  let last = '';
  for (const [word] of text.matchAll(token)) {
    if (word === '{' || word === '[') {
      if (names.push(new Set()) > maxDepth) throw new Ambiguous(`the body nests deeper than ${maxDepth} levels`);
    } else if (word === '}' || word === ']') {
      names.pop();
    } else if (word === ':') { // what stood before it is a name, and only a name
      const name = JSON.parse(last) as string;
      if (names.at(-1)!.has(name)) throw new Ambiguous('the body has a name twice in one object');
      names.at(-1)!.add(name);
    } else if (word.startsWith('"')) {
      if (!(JSON.parse(word) as string).isWellFormed()) throw new Ambiguous('the body has half of a surrogate pair');
    } else if (/^[-\d]/.test(word) && !exact(word)) {
      throw new Ambiguous('the body has a number that does not survive in an IEEE 754 double: send it as a string');
    }
    last = word;
  }
}

/** Whether a number's shortest digits as a double, which its canonical form has,
 * are its own (RFC 8785, 3.2.2.3; RFC 7493, 2.2). Zero has one canonical form. */
export function exact(literal: string): boolean {
  const number = Number(literal);
  if (!Number.isFinite(number)) return false;
  const [given, power] = decimal(literal);
  const [kept, keptPower] = decimal(number.toExponential());
  return given === kept && (power === keptPower || given === '');
}

/** A number's significant digits, without sign and zeros at the ends, and the
 * power of ten of the last of them. */
function decimal(literal: string): [digits: string, power: number] {
  const [mantissa = '', power = '0'] = literal.toLowerCase().replace(/^-/, '').split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const all = (whole + fraction).replace(/^0+/, '');
  let end = all.length; // a pattern would take quadratic time for a long row of zeros inside
  while (all[end - 1] === '0') end--;
  const digits = all.slice(0, end);
  return [digits, Number(power) - fraction.length + all.length - digits.length];
}
