// requestOf makes the request that is sent, its key in place: {method, url,
// headers, body}, and what its fingerprint is made of. Its bytes are made once:
// n8n's retries send these very ones.
function requestOf(contract, payload, source, id) {
  const key = contract.key;
  const value = key.syntax === 'sf-string' ? '"' + id + '"' : id; // RFC 9651, 3.3.3
  const headers = contract.headers.map(([name, line]) => [name, line]);
  let target = contract.path;
  const whole = key.body ? withKey(payload, parsePointer(key.body, 'contract key'), value) : payload;
  const body = { text: () => (key.body ? writeText(whole) : source), form: () => formOf(whole), none: () => '' }[contract.body]();
  if (key.query) target += (target.includes('?') ? '&' : '?') + encodeURIComponent(key.query) + '=' + encodeURIComponent(value);
  if (key.header) headers.push([key.header, value]);
  if (contract.companion) headers.push([contract.companion.header, new Date().toUTCString()]); // IMF-fixdate, RFC 9110, 5.6.7
  return { method: contract.method, url: contract.base_url.replace(/\/+$/, '') + target, target, headers, body };
}

// sentBy gives a request as the sending node takes it: lines of one header are
// one, and the media type stands apart.
function sentBy(request) {
  const headers = {};
  let type = 'application/octet-stream';
  for (const [name, line] of request.headers) {
    if (asciiLower(name) === 'content-type') type = line;
    else headers[name] = Object.prototype.hasOwnProperty.call(headers, name) ? headers[name] + ', ' + line : line;
  }
  return { method: request.method, url: request.url, headers, content_type: type, body: request.body };
}

// withKey puts the key at its place in the body; what holds it must be there.
function withKey(payload, tokens, key) {
  const last = tokens[tokens.length - 1];
  const holder = valueAt(payload, tokens.slice(0, -1));
  if (last === undefined || holder === undefined || holder.kind !== 'object') {
    refuse('contract', 'payload ' + pointerText(tokens), 'there is no object that the key can be put into');
  }
  const put = (value) => {
    if (value === holder) return objectValue(value.members.filter(([name]) => name !== last).concat([[last, stringValue(key)]]));
    if (value.kind === 'array') return arrayValue(value.items.map(put));
    if (value.kind === 'object') return objectValue(value.members.map(([name, v]) => [name, put(v)]));
    return value;
  };
  return put(payload);
}

// writeText writes a value with its order and its numbers as they came.
function writeText(value) {
  if (value.kind === 'array') return '[' + value.items.map(writeText).join(',') + ']';
  if (value.kind === 'object') return '{' + value.members.map(([name, v]) => JSON.stringify(name) + ':' + writeText(v)).join(',') + '}';
  return value.kind === 'number' ? value.literal : JSON.stringify(value.value);
}

// formOf writes an object of texts as a form (application/x-www-form-urlencoded).
function formOf(payload) {
  if (payload.kind !== 'object') refuse('contract', 'payload', 'a form is an object of texts');
  const escape = (s) => encodeURIComponent(s).replace(/[!'()~]/g, (c) => '%' + c.charCodeAt(0).toString(16).toUpperCase()).replace(/%20/g, '+');
  return payload.members.map(([name, v]) => {
    if (v.kind !== 'string') refuse('contract', 'payload ' + pointerText([name]), 'a form holds texts alone');
    return escape(name) + '=' + escape(v.value);
  }).join('&');
}

// refuseHost refuses to send anywhere but to a host that the contract allows.
function refuseHost(contract, url) {
  if (contract.base_url.includes('${')) refuse('contract', 'contract base_url', 'it still names a variable', 'put the address there');
  const found = /^(https?):\/\/([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::([0-9]{1,5}))?(?=[\/?]|$)/.exec(url);
  if (found === null) refuse('contract', 'contract base_url', 'it is no address of the form https://host or https://host:port');
  const host = found[2].toLowerCase(), port = found[3] || (found[1] === 'https' ? '443' : '80');
  const allowed = contract.allow_hosts.map((h) => (h.split(':').length > 2 && h[0] !== '[' ? '[' + h + ']' : h).toLowerCase());
  if (!allowed.includes(host) && !allowed.includes(host + ':' + port)) refuse('contract', 'contract base_url', 'its host is not in allow_hosts');
}
