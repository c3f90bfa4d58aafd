// A JSON value is {kind, ...}: null and boolean with value, number with literal,
// string with value, array with items, object with members, [name, value] each.
// Objects of the language would lose duplicate names, order and __proto__.

const maxDepth = 1000; // determ-v1, Admission and numbers

// parseJSON admits one JSON text and gives its value (RFC 8259, and the
// refusals of determ-v1). what names the text in errors.
function parseJSON(text, what) {
  const path = [];
  let at = 0;

  function fail(refusal, message, place = at, from = path) {
    const before = text.slice(0, place);
    const line = before.split('\n').length;
    const column = place - before.lastIndexOf('\n');
    const pointer = pointerText(from);
    const error = what + (pointer === '' ? '' : ' ' + pointer) + ' (line ' + line + ', column ' + column + ')';
    refuse(refusal, error, message);
  }

  function space() {
    while (at < text.length && ' \t\n\r'.includes(text[at])) at++;
  }

  function next(character) {
    if (text[at] !== character) return false;
    at++;
    return true;
  }

  function unexpected(belongs, from = path) {
    if (at >= text.length) fail('unexpected end', 'the text ends too early: ' + belongs, at, from);
    wellFormed(at, from);
    fail('syntax', 'unexpected character: ' + belongs, at, from);
  }

  // wellFormed refuses half of a surrogate pair at a place of the text itself.
  function wellFormed(place, from = path) {
    const unit = text.charCodeAt(place);
    if (unit < 0xd800 || unit > 0xdfff) return 1;
    const low = text.charCodeAt(place + 1);
    if (unit < 0xdc00 && low >= 0xdc00 && low <= 0xdfff) return 2;
    return fail('lone surrogate', 'half of a surrogate pair stands alone', place, from);
  }

  function value() {
    if (at >= text.length) fail('unexpected end', 'the text ends where a value belongs');
    const c = text[at];
    if (c === '{' || c === '[') {
      if (path.length === maxDepth) fail('too deep', 'arrays and objects are nested more than ' + maxDepth + ' deep');
      return c === '{' ? object() : array();
    }
    if (c === '"') return { kind: 'string', value: string(path) };
    if ('-+.0123456789'.includes(c)) return number();
    return word();
  }

  function array() {
    const items = [];
    at++;
    path.push(0);
    for (space(); items.length > 0 || !next(']'); ) {
      path[path.length - 1] = items.length;
      space();
      items.push(value());
      space();
      if (next(']')) break;
      if (!next(',')) unexpected('a comma or ] belongs here');
    }
    path.pop();
    return { kind: 'array', items };
  }

  function object() {
    const members = [];
    const seen = new Set();
    at++;
    path.push('');
    for (space(); members.length > 0 || !next('}'); ) {
      space();
      const name = memberName(seen);
      members.push([name, value()]);
      space();
      if (next('}')) break;
      if (!next(',')) unexpected('a comma or } belongs here');
    }
    path.pop();
    return { kind: 'object', members };
  }

  function memberName(seen) {
    const start = at;
    const outside = path.slice(0, -1);
    if (text[at] !== '"') unexpected('a name in double quotes belongs here', outside);
    const name = string(outside);
    path[path.length - 1] = name;
    if (seen.has(name)) fail('duplicate name', 'the object has this name twice', start);
    seen.add(name);
    space();
    if (!next(':')) unexpected('a colon belongs here');
    space();
    return name;
  }

  function string(from) {
    let out = '', start = ++at;
    while (at < text.length) {
      const c = text[at];
      if (c === '"') {
        out += text.slice(start, at++);
        return out;
      }
      if (c === '\\') {
        out += text.slice(start, at) + escape(from);
        start = at;
      } else if (c < ' ') {
        fail('control character', 'a control character stands in a string without being escaped', at, from);
      } else {
        at += wellFormed(at, from);
      }
    }
    return fail('unexpected end', 'the text ends inside a string', at, from);
  }

  function escape(from) {
    const start = at;
    if (at + 1 >= text.length) fail('unexpected end', 'the text ends inside an escape', at, from);
    const c = text[at + 1];
    at += 2;
    const short = { '"': '"', '\\': '\\', '/': '/', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };
    if (Object.prototype.hasOwnProperty.call(short, c)) return short[c];
    if (c !== 'u') fail('syntax', 'JSON has no such escape', start, from);
    const unit = codeUnit(from);
    if (unit < 0xd800 || unit > 0xdfff) return String.fromCharCode(unit);
    if (unit < 0xdc00 && text.startsWith('\\u', at)) {
      at += 2;
      const low = codeUnit(from);
      if (low >= 0xdc00 && low <= 0xdfff) return String.fromCharCode(unit, low);
    }
    return fail('lone surrogate', 'half of a surrogate pair stands alone', start, from);
  }

  function codeUnit(from) {
    for (let i = 0; i < 4; i++) {
      if (at + i >= text.length) fail('unexpected end', 'the text ends inside an escape', at + i, from);
      if (!/[0-9a-fA-F]/.test(text[at + i])) fail('syntax', '\\u takes four hexadecimal digits', at + i, from);
    }
    at += 4;
    return parseInt(text.slice(at - 4, at), 16);
  }

  function number() {
    const start = at;
    const digits = () => { const from = at; while (at < text.length && text[at] >= '0' && text[at] <= '9') at++; return at > from; };
    next('-');
    let ok = next('0') || digits();
    if (ok && next('.')) ok = digits();
    if (ok && (next('e') || next('E'))) {
      if (!next('+')) next('-');
      ok = digits();
    }
    if (!ok && at >= text.length) fail('unexpected end', 'the text ends inside a number');
    if (!ok || (at < text.length && continuesWord(text[at]))) fail('number syntax', 'this is not how JSON writes a number', start);
    const literal = text.slice(start, at);
    if (!Number.isFinite(doubleOf(decimalOf(literal)))) {
      fail('number out of range', 'number beyond the double range; carry it as a string', start);
    }
    return { kind: 'number', literal };
  }

  function word() {
    const start = at;
    while (at < text.length && continuesWord(text[at])) at++;
    const found = text.slice(start, at);
    if (found === 'true' || found === 'false') return { kind: 'boolean', value: found === 'true' };
    if (found === 'null') return { kind: 'null', value: null };
    if (found === '') unexpected('a value belongs here');
    if (at >= text.length && ['true', 'false', 'null'].some((w) => w.startsWith(found))) {
      fail('unexpected end', 'the text ends inside true, false or null');
    }
    return fail('literal', 'a bare word is no JSON value', start);
  }

  function continuesWord(c) {
    return /[A-Za-z0-9.+_-]/.test(c);
  }

  if (typeof text !== 'string') refuse('not a text', what, 'it must be JSON as text: n8n has parsed it already, and parsing loses duplicate names and long numbers');
  if (text[0] === '\ufeff') fail('byte order mark', 'the text starts with a byte order mark');
  space();
  if (at >= text.length) fail('empty', 'there is no JSON value');
  const whole = value();
  space();
  if (at < text.length) fail('trailing data', 'something follows the JSON value');
  return whole;
}

// member gives an object's value of that name, undefined where it has none.
function member(value, name) {
  if (value.kind !== 'object') return undefined;
  const found = value.members.find(([other]) => other === name);
  return found && found[1];
}
