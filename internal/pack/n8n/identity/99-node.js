// settingsOf reads the switches. Everything that is not said is safe.
function settingsOf(item) {
  const one = (name, words) => (words.includes(item[name]) ? item[name] : refuse('settings', 'settings ' + name, 'it must be ' + words.map((w) => JSON.stringify(w)).join(' or ')));
  const settings = { dryRun: one('dry_run', [true, false]), secret: one('secret', ['test', 'environment']), fingerprints: one('fingerprints', ['keyed', 'public']) };
  if (settings.secret === 'environment') {
    settings.variable = item.secret_env;
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(settings.variable)) refuse('settings', 'settings secret_env', 'it must be the name of an environment variable, not a value');
  } else if (!settings.dryRun) {
    refuse('settings', 'settings secret', 'the public test secret is for dry runs alone: everybody can make its keys', 'secret: environment');
  }
  return settings;
}

function keyFor(settings, recipe, readVariable) {
  if (settings.secret === 'test') return { secret: publicTestSecret() };
  const line = readVariable(settings.variable);
  if (typeof line !== 'string' || line === '') refuse('key', 'environment variable ' + settings.variable, 'it is not set for n8n');
  const key = readKey(line, recipe);
  if (isPublic(key, recipe)) refuse('key', 'environment variable ' + settings.variable, 'it holds the public test secret, which everybody knows', 'idem key new makes one');
  return key;
}

function contractOf(source) {
  let contract;
  try {
    contract = JSON.parse(source);
  } catch (e) {
    refuse('contract', 'contract', 'it is not JSON');
  }
  const ok = contract && ['method', 'base_url', 'path', 'body'].every((name) => typeof contract[name] === 'string') &&
    ['headers', 'allow_hosts'].every((name) => Array.isArray(contract[name])) && contract.key && contract.fingerprint &&
    ['text', 'form', 'none'].includes(contract.body);
  return ok ? contract : refuse('contract', 'contract', 'it lacks method, base_url, path, headers, body (text, form or none), key, fingerprint or allow_hosts');
}

// tried gives what a fingerprint comes to: its text, or why there is none.
function tried(make) {
  try {
    return { text: make() };
  } catch (error) {
    if (!error.refusal) throw error;
    return { text: null, why: error.message };
  }
}

// prepare makes of an item all that is known before anything is sent.
function prepare(item, readVariable) {
  const settings = settingsOf(item);
  const recipe = readRecipe(item.recipe);
  const contract = contractOf(item.contract);
  const payload = parseJSON(item.payload, 'payload');
  const inputs = parseJSON(item.inputs === undefined ? '{}' : item.inputs, 'inputs');
  if (inputs.kind !== 'object') refuse('inputs', 'inputs', 'they are an object: {"tenant": "acme"}');
  const key = keyFor(settings, recipe, readVariable);
  const { id, identity } = deriveID(recipe, payload, inputs, key);
  // n8n's client sends JSON without the white space around it. It is taken off
  // here, so that the bytes that are judged are those that are sent.
  const request = requestOf(contract, payload, transforms['trim/v1'](item.payload), id);

  const keyed = settings.fingerprints === 'public' ? null : { secret: key.secret, kid: recipe.key.kid, namespace: recipe.namespace };
  const print = (form, make) => tried(() => {
    if (keyed !== null && !key.secret) refuse('key', 'fingerprint', 'a subkey makes IDs of one operation but no fingerprints', 'fingerprints: public, if everybody may know the payload');
    return fingerprintOf(make(), form, keyed);
  });
  const whole = tried(() => canonical(payload, recipe.strict, 'payload'));
  const rules = Object.assign({ key: contract.key }, contract.fingerprint);
  const ofPayload = whole.text === null ? whole : print(payloadForm, () => whole.text);
  const ofRequest = print(requestForm, () => canonicalRequest(request, rules, recipe.strict));

  const sent = sentBy(request);
  const private_ = recipe.sensitive.some((s) => recipe.identity.some((e) => e.pointer && covers(s, e.pointer) && valueAt(payload, e.pointer)));
  const out = {
    dry_run: settings.dryRun,
    operation: contract.operation,
    id,
    boundary: recipe.boundary,
    canonical_identity: private_ ? '«masked»' : identity,
    canonical_payload: whole.text,
    payload_fingerprint: ofPayload.text,
    request_fingerprint: ofRequest.text,
    secret: settings.secret === 'test' ? 'the public test secret: these are not the keys of a live run' : 'kid ' + recipe.key.kid + ' from the environment',
    notes: [ofPayload.why, ofRequest.why].filter((why) => why !== undefined),
    six_parts: contract.six_parts,
  };
  if (settings.dryRun) return Object.assign(out, { would_send: sent });
  refuseHost(contract, sent.url);
  return Object.assign(out, { send: sent });
}

// covers says whether one of two places lies in the other.
function covers(a, b) {
  return a.slice(0, b.length).every((token, i) => token === b[i]);
}

// n8n hands the items in, and takes what this returns. One item that is refused
// ends the run before anything is sent.
const readVariable = (name) => {
  let value;
  try {
    value = $env[name];
  } catch (error) {
    refuse('key', 'environment variable ' + name, 'n8n lets no node read its environment', 'N8N_BLOCK_ENV_ACCESS_IN_NODE=false where n8n is started');
  }
  return value;
};
const items = $input.all();
return items.map((item, index) => {
  try {
    return { json: prepare(item.json, readVariable), pairedItem: { item: index } };
  } catch (error) {
    if (error.refusal && items.length > 1) error.message = 'item ' + index + ': ' + error.message;
    throw error;
  }
});
