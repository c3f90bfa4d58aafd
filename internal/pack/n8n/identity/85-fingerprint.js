// Fingerprints v1 (determ-v1). keyed is {secret, kid, namespace}, or null for
// the form without a key, which is for payloads that everybody may know.

function fingerprintOf(text, form, keyed) {
  const bytes = utf8(text);
  if (keyed === null) return form.plain + ':' + hex(sha256(bytes));
  const key = hkdf(keyed.secret, form.salt, JSON.stringify([keyed.namespace]));
  return form.keyed + ':' + keyed.kid + ':' + hex(hmac(key, bytes));
}

const payloadForm = { plain: 'sha256', keyed: 'hmac-sha256', salt: 'idem/fingerprint/v1' };
const requestForm = { plain: 'req1', keyed: 'reqk1', salt: 'idem/request/v1' };

// canonicalRequest is JCS(R). request is {method, target, headers, body}, the
// key in it left out wherever rules say that it travels.
function canonicalRequest(request, rules, strict) {
  if (!isToken(request.method)) refuse('request', 'method', 'it is not a method');
  const cut = request.target.indexOf('?');
  const path = (cut < 0 ? request.target : request.target.slice(0, cut)) || '/';
  if (/[^\x21-\x7e]/.test(path)) refuse('request', 'path', 'a character cannot stand in a request target; percent-encode it');
  const query = readQuery(cut < 0 ? '' : request.target.slice(cut + 1), rules.key.query);
  const whole = objectValue([
    ['body', bodyOf(request, rules, strict)],
    ['headers', coveredHeaders(request.headers, rules)],
    ['method', stringValue(request.method)],
    ['path', stringValue(path)],
    ['query', arrayValue(query)],
  ]);
  return canonical(whole, false, 'request');
}

const isToken = (s) => /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(s);
const asciiLower = (s) => s.replace(/[A-Z]/g, (c) => c.toLowerCase());
const trimBlanks = (s) => s.replace(/^[ \t]+/, '').replace(/[ \t]+$/, '');

function readQuery(raw, keyName) {
  const decode = (s) => {
    try {
      return decodeURIComponent(s.replace(/\+/g, ' '));
    } catch (e) {
      return refuse('request', 'query', 'a % is not followed by two hexadecimal digits, or what they decode to is not UTF-8');
    }
  };
  const pairs = raw.split('&').filter((piece) => piece !== '').map((piece) => {
    const cut = piece.indexOf('=');
    return cut < 0 ? [decode(piece), nullValue] : [decode(piece.slice(0, cut)), stringValue(decode(piece.slice(cut + 1)))];
  });
  return pairs.filter(([name]) => !keyName || name !== keyName)
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([name, value]) => arrayValue([stringValue(name), value]));
}

function coveredHeaders(headers, rules) {
  const covered = [];
  for (const given of rules.headers) {
    const name = asciiLower(given);
    if (!isToken(name)) refuse('request', 'fingerprint headers', 'a name is no header name');
    if ((rules.key.header && name === asciiLower(rules.key.header)) || covered.some(([other]) => other === name)) continue;
    const lines = headers.filter(([other]) => asciiLower(other) === name).map(([, line]) => trimBlanks(line));
    if (lines.length === 0) continue;
    const joined = lines.join(', ');
    if (/[^\x00-\x7f]/.test(joined)) refuse('request', 'header ' + name, 'its value is not ASCII');
    covered.push([name, stringValue(joined)]);
  }
  return objectValue(covered);
}

function bodyOf(request, rules, strict) {
  const ignore = rules.ignore.concat(rules.key.body ? [rules.key.body] : []).map((p) => parsePointer(p, 'ignore'));
  if (ignore.some((p) => p.length === 0)) refuse('request', 'ignore', 'the empty pointer would ignore the whole body');
  if (request.body === '') return nullValue;
  const type = request.headers.find(([name]) => asciiLower(name) === 'content-type');
  if (!isJSONType(type ? type[1] : '') || rules.reorder === 'bytes') {
    return objectValue([['sha256', stringValue(hex(sha256(utf8(request.body, 'body'))))]]);
  }
  const body = parseJSON(request.body, 'body');
  // All are resolved against the body as it is, then removed at once.
  const ignored = new Set(ignore.map((p) => valueAt(body, p)).filter((v) => v !== undefined));
  if (strict) refuseLossy(body, ignored, 'body');
  return objectValue([['json', without(body, ignored)]]);
}

function isJSONType(mediaType) {
  const bare = asciiLower(trimBlanks(mediaType.split(';')[0]));
  return bare === 'application/json' || (bare.endsWith('+json') && bare !== '+json');
}
