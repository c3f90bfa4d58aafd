// transforms are the frozen changes of a string (determ-v1, Steps 1).
const transforms = {
  'nfc/v1': (s, fail) => {
    for (const c of s) {
      if (!isAssigned15(c.codePointAt(0))) fail('holds a character that is not assigned in Unicode 15.0.0, so nfc/v1 cannot take it');
    }
    return s.normalize('NFC');
  },
  'trim/v1': (s) => {
    let start = 0, end = s.length;
    while (start < end && '\t\n\r '.includes(s[start])) start++;
    while (end > start && '\t\n\r '.includes(s[end - 1])) end--;
    return s.slice(start, end);
  },
  'ascii-lowercase/v1': (s) => s.replace(/[A-Z]/g, (c) => c.toLowerCase()),
};

// selectIdentity takes the identity out of a payload (determ-v1, Steps 1).
function selectIdentity(recipe, payload, inputs) {
  for (const [name] of inputs.members) {
    if (!recipe.identity.some((e) => e.input === name)) refuse('recipe', 'input ' + shown(name), 'the recipe names no such input');
  }
  const members = [];
  for (const entry of recipe.identity) {
    const v = takeField(entry, entry.input === undefined ? valueAt(payload, entry.pointer) : member(inputs, entry.input));
    if (v !== undefined) members.push([entry.name, v]);
  }
  if (members.length === 0) refuse('recipe', 'payload', 'nothing is left in the identity: every field is absent');
  return objectValue(members);
}

const placeOf = (entry) => (entry.input === undefined ? ('payload ' + pointerText(entry.pointer)).trim() : 'input ' + shown(entry.input));

function takeField(entry, value) {
  const fail = (why) => refuse('recipe', placeOf(entry), 'identity field ' + shown(entry.name) + ' ' + why);
  if (value === undefined) return entry.omitAbsent ? undefined : fail('is absent');
  if (value.kind === 'null') return entry.allowNull ? value : fail('is null');
  const integer = value.kind === 'number' && isIntegral(value.literal);
  if (entry.type && value.kind !== entry.type && !(entry.type === 'integer' && integer)) {
    fail('is of type ' + value.kind + ', and the recipe says ' + entry.type);
  }
  if (entry.transforms.length === 0) return value;
  if (value.kind !== 'string') fail('is no string, and transforms work on strings');
  return stringValue(entry.transforms.reduce((s, name) => transforms[name](s, fail), value.value));
}

// canonicalIdentity is M (determ-v1, Steps 2), with errors at their place.
function canonicalIdentity(recipe, identity) {
  for (const entry of recipe.identity) {
    const v = member(identity, entry.name);
    if (v !== undefined) canonical(v, recipe.strict, entry.input === undefined ? 'payload' : placeOf(entry), (entry.pointer || []).slice());
  }
  return canonical(identity, recipe.strict, 'identity');
}

// encodeTag writes a tag as an ID (determ-v1, Steps 5).
function encodeTag(recipe, tag) {
  const uuid = (version) => {
    const u = tag.slice(0, 16);
    u[6] = (version << 4) | (u[6] & 15);
    u[8] = 0x80 | (u[8] & 63);
    return hex(u).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  };
  const short = crockford32(tag.slice(0, 20));
  switch (recipe.encode) {
    case 'short': return short;
    case 'uuid': return uuid(8);
    case 'uuid4': return uuid(4);
    case 'hex': return hex(tag);
    case 'base64url': return base64URL(tag);
  }
  return recipe.prefix + '_' + recipe.version + '_' + short;
}

// deriveID gives {id, identity}: the ID and the canonical identity it is of.
function deriveID(recipe, payload, inputs, key) {
  const identity = canonicalIdentity(recipe, selectIdentity(recipe, payload, inputs));
  const id = encodeTag(recipe, hmac(subkeyOf(key, recipe), utf8(identity)));
  refuseOutside(recipe.limits, id.length, id);
  return { id, identity };
}
