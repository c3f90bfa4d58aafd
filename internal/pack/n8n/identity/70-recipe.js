// The recipe, idem: recipe/v1, as JSON (determ-v1, The recipe file). It is read
// as strictly as idem reads it: a recipe that idem refuses makes no ID here.

const namePattern = /^[a-z0-9]+([._-][a-z0-9]+)*$/;
const kidPattern = /^[a-z0-9]{1,16}$/;
const recipeKeys = ['idem', 'namespace', 'operation', 'version', 'prefix', 'boundary', 'identity', 'encode', 'numbers',
  'sensitive', 'key', 'limits', 'previous', 'next', 'example'];
const encodings = ['id', 'short', 'uuid', 'uuid4', 'hex', 'base64url'];

// What well-known APIs publish of the keys that they take.
const limitPresets = {
  ietf: {}, stripe: { max: 255 }, ec2: { max: 64, alphabet: '!-~' }, 'google-cloud': { max: 36, alphabet: '!-~' },
  mangopay: { min: 16, max: 36 }, worldline: { max: 40 }, 'amazon-pay': { max: 32, alphabet: 'A-Za-z0-9_-' },
  adyen: { max: 64 }, square: { max: 45 }, plaid: { max: 50 }, increase: { max: 200 },
  telnyx: { min: 1, max: 255, alphabet: 'A-Za-z0-9_:-' },
};

// fieldsOf reads an object whose keys are known, with a reader for each kind.
function fieldsOf(value, what, known) {
  if (value.kind !== 'object') refuse('recipe', what, 'it must be an object');
  for (const [name] of value.members) {
    if (!known.includes(name)) refuse('recipe', what, 'unknown key ' + shown(name));
  }
  const get = (name) => member(value, name);
  const string = (name, otherwise) => {
    const v = get(name);
    if (v === undefined && otherwise !== undefined) return otherwise;
    if (v === undefined || v.kind !== 'string') refuse('recipe', what, name + (v ? ' must be a text' : ' is missing'));
    return v.value;
  };
  const oneOf = (name, words, otherwise) => {
    const word = string(name, otherwise);
    if (word !== otherwise && !words.includes(word)) refuse('recipe', what, name + ' must be one of ' + words.join(', '));
    return word;
  };
  const whole = (name, most, otherwise) => {
    const v = get(name);
    if (v === undefined && otherwise !== undefined) return otherwise;
    const n = v && v.kind === 'number' && /^[1-9][0-9]*$/.test(v.literal) ? Number(v.literal) : 0;
    if (n < 1 || n > most) refuse('recipe', what, name + ' must be a whole number from 1 to ' + most);
    return n;
  };
  const strings = (name) => {
    const v = get(name);
    if (v === undefined) return null;
    if (v.kind !== 'array' || v.items.some((i) => i.kind !== 'string')) refuse('recipe', what, name + ' must be a list of texts');
    return v.items.map((i) => i.value);
  };
  return { get, string, oneOf, whole, strings };
}

function readRecipe(source) {
  const value = parseJSON(source, 'recipe');
  const f = fieldsOf(value, 'recipe', recipeKeys);
  f.oneOf('idem', ['recipe/v1']);
  const recipe = {
    namespace: f.string('namespace'), operation: f.string('operation'), version: f.whole('version', 999999),
    prefix: f.string('prefix'), boundary: f.string('boundary').trim(),
    encode: f.oneOf('encode', encodings, 'id'), strict: f.oneOf('numbers', ['strict', 'ieee754'], 'strict') === 'strict',
    sensitive: (f.strings('sensitive') || []).map((p) => parsePointer(p, 'recipe sensitive')),
  };
  for (const name of ['namespace', 'operation']) {
    if (!namePattern.test(recipe[name]) || recipe[name].length > 64) {
      refuse('recipe', 'recipe', name + ' must be lower-case letters and digits in parts joined by . _ or -, at most 64 characters');
    }
  }
  if (!/^[a-z][a-z0-9]{0,15}$/.test(recipe.prefix)) refuse('recipe', 'recipe', 'prefix must be a lower-case letter, then up to 15 lower-case letters and digits');
  if (recipe.boundary === '') refuse('recipe', 'recipe', 'boundary is empty: it says when two payloads are the same operation');
  recipe.identity = readIdentity(f.get('identity'));
  recipe.key = readKeySpec(f.get('key'));
  recipe.limits = readLimits(f.get('limits'));
  const sample = encodeTag(recipe, new Array(32).fill(0));
  const characters = { id: recipe.prefix + '_' + crockfordAlphabet, short: crockfordAlphabet, uuid: hexDigits + '-', uuid4: hexDigits + '-',
    hex: hexDigits, base64url: base64URLAlphabet }[recipe.encode];
  refuseOutside(recipe.limits, sample.length, characters);
  return recipe;
}

function readIdentity(value) {
  if (value === undefined || value.kind !== 'object' || value.members.length === 0) {
    refuse('recipe', 'recipe', 'identity is empty: every payload would be the same operation');
  }
  return value.members.map(([name, v]) => {
    const what = 'recipe, identity field ' + shown(name);
    if (v.kind === 'string') return { name, pointer: parsePointer(v.value, what), transforms: [] };
    const f = fieldsOf(v, what, ['pointer', 'input', 'type', 'when_null', 'when_absent', 'transform']);
    const entry = {
      name,
      type: f.oneOf('type', ['string', 'integer', 'boolean', 'number'], ''),
      allowNull: f.oneOf('when_null', ['refuse', 'allow'], 'refuse') === 'allow',
      omitAbsent: f.oneOf('when_absent', ['refuse', 'omit'], 'refuse') === 'omit',
      transforms: f.strings('transform') || [],
    };
    if ((f.get('pointer') === undefined) === (f.get('input') === undefined)) refuse('recipe', what, 'it needs a pointer or an input, one of the two');
    if (f.get('pointer')) entry.pointer = parsePointer(f.string('pointer'), what);
    else entry.input = f.string('input');
    if (entry.input === '' || (entry.input || '').includes('=')) refuse('recipe', what, 'the name of an input is not empty and holds no =');
    for (const t of entry.transforms) {
      if (!Object.prototype.hasOwnProperty.call(transforms, t)) refuse('recipe', what, shown(t) + ' is not a known transform');
    }
    if (entry.transforms.length > 0 && entry.type !== '' && entry.type !== 'string') refuse('recipe', what, 'transforms work on strings');
    return entry;
  });
}

// readKeySpec takes what matters here: the kid, the format and the check. Where
// the secret is, the settings say.
function readKeySpec(value) {
  if (value === undefined) refuse('recipe', 'recipe', 'key is missing');
  const sources = ['env', 'file', 'fd', 'command'];
  const f = fieldsOf(value, 'recipe key', ['kid', 'format', 'mode', 'check', 'passphrase'].concat(sources));
  const key = { kid: f.string('kid'), format: f.oneOf('format', ['idemkey', 'hex', 'base64', 'raw'], 'idemkey'), check: f.string('check', '') };
  if (!kidPattern.test(key.kid)) refuse('recipe', 'recipe key', 'kid must be 1 to 16 lower-case letters and digits');
  if (sources.filter((s) => f.get(s)).length !== 1) refuse('recipe', 'recipe key', 'it needs one source of ' + sources.join(', '));
  if (key.check !== '' && !/^[0-9a-hjkmnp-tv-z]{8}$/.test(key.check)) refuse('recipe', 'recipe key', 'check must be the 8 characters that idem key check prints');
  return key;
}

function readLimits(value) {
  if (value === undefined) return {};
  const f = fieldsOf(value, 'recipe limits', ['preset', 'max_length', 'min_length', 'alphabet']);
  if (f.get('preset')) {
    if (value.members.length > 1) refuse('recipe', 'recipe limits', 'they are a preset, or max_length, min_length and alphabet, not both');
    return limitPresets[f.oneOf('preset', Object.keys(limitPresets))];
  }
  const limits = { max: f.whole('max_length', 65536, 0), min: f.whole('min_length', 65536, 0), alphabet: f.string('alphabet', '') };
  if (f.get('alphabet') && limits.alphabet === '') refuse('recipe', 'recipe limits', 'alphabet is empty');
  if (limits.max > 0 && limits.min > limits.max) refuse('recipe', 'recipe limits', 'min_length is above max_length');
  alphabetRanges(limits.alphabet);
  return limits;
}

// alphabetRanges reads a character class without brackets.
function alphabetRanges(alphabet) {
  const characters = Array.from(alphabet), ranges = [];
  for (let i = 0; i < characters.length; i++) {
    let last = characters[i];
    const first = last;
    if (characters[i + 1] === '-' && i + 2 < characters.length) {
      last = characters[i + 2];
      i += 2;
    }
    if (first.codePointAt(0) > last.codePointAt(0)) refuse('recipe', 'recipe limits', 'alphabet has a range that runs backwards');
    ranges.push([first.codePointAt(0), last.codePointAt(0)]);
  }
  return ranges;
}

// refuseOutside refuses IDs that are outside the limits: nothing is ever cut.
function refuseOutside(limits, length, characters) {
  if (limits.max > 0 && length > limits.max) refuse('limits', 'recipe limits', 'the ID has ' + length + ' characters and the limit is ' + limits.max);
  if (limits.min > 0 && length < limits.min) refuse('limits', 'recipe limits', 'the ID has ' + length + ' characters and the least is ' + limits.min);
  if (!limits.alphabet) return;
  const ranges = alphabetRanges(limits.alphabet);
  for (const c of characters) {
    const point = c.codePointAt(0);
    if (!ranges.some(([first, last]) => first <= point && point <= last)) refuse('limits', 'recipe limits', 'the ID may hold ' + c + ', which the alphabet lacks');
  }
}
