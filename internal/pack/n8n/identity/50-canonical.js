// within judges one part of a value with its token on the path.
function within(path, token, judge) {
  path.push(token);
  const out = judge();
  path.pop();
  return out;
}

// canonical gives the RFC 8785 text of a value. strict refuses a number that it
// would change; path is where the value lies in the text that what names.
function canonical(value, strict, what, path = []) {
  switch (value.kind) {
    case 'null': return 'null';
    case 'boolean': return String(value.value);
    case 'string': return JSON.stringify(value.value); // RFC 8785, 3.2.2.2
    case 'number':
      if (strict && !isLossless(value.literal)) {
        refuse('lossy number', (what + ' ' + pointerText(path)).trim(), 'number that the canonical form would change', 'carry it as a string');
      }
      return canonicalNumber(value.literal);
    case 'array':
      return '[' + value.items.map((item, i) => within(path, i, () => canonical(item, strict, what, path))).join(',') + ']';
  }
  // Names sort by UTF-16 code units (RFC 8785, 3.2.3), as texts compare here.
  const sorted = value.members.slice().sort(([a], [b]) => (a < b ? -1 : 1));
  const parts = sorted.map(([name, v]) => JSON.stringify(name) + ':' + within(path, name, () => canonical(v, strict, what, path)));
  return '{' + parts.join(',') + '}';
}

// refuseLossy refuses the first number, in the text's order, that the canonical
// form would change, but for what is skipped.
function refuseLossy(value, skip, what, path = []) {
  if (skip.has(value)) return;
  if (value.kind === 'number') canonical(value, true, what, path);
  if (value.kind === 'array') value.items.forEach((v, i) => within(path, i, () => refuseLossy(v, skip, what, path)));
  if (value.kind === 'object') value.members.forEach(([name, v]) => within(path, name, () => refuseLossy(v, skip, what, path)));
}

const nullValue = { kind: 'null', value: null };
const stringValue = (value) => ({ kind: 'string', value });
const arrayValue = (items) => ({ kind: 'array', items });
const objectValue = (members) => ({ kind: 'object', members });

// parsePointer reads a JSON Pointer (RFC 6901).
function parsePointer(pointer, what) {
  if (pointer === '') return [];
  if (pointer[0] !== '/') refuse('pointer', what, 'not a JSON Pointer: it does not start with /');
  return pointer.slice(1).split('/').map((token) => {
    if (/~(?![01])/.test(token)) refuse('pointer', what, 'not a JSON Pointer: a ~ is not followed by 0 or 1');
    return token.replace(/~1/g, '/').replace(/~0/g, '~');
  });
}

// valueAt gives the value at a pointer's tokens, undefined where it is absent:
// an array's token is 0|[1-9][0-9]* (determ-v1, Steps).
function valueAt(value, tokens) {
  for (const token of tokens) {
    if (value === undefined) return undefined;
    if (value.kind === 'array') value = /^(0|[1-9][0-9]*)$/.test(token) ? value.items[Number(token)] : undefined;
    else value = member(value, token);
  }
  return value;
}

// without gives a value less those in removed.
function without(value, removed) {
  if (value.kind === 'array') return arrayValue(value.items.filter((v) => !removed.has(v)).map((v) => without(v, removed)));
  if (value.kind === 'object') return objectValue(value.members.filter(([, v]) => !removed.has(v)).map(([name, v]) => [name, without(v, removed)]));
  return value;
}
