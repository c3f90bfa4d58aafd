// Key material, as idem key writes it (determ-v1, Keys). Errors never quote it.

const publicTestSecret = () => sha256(utf8('idem test secret 1'));

// readKey reads key material in the format that the recipe names, and gives
// {secret}, or {subkey} of one recipe.
function readKey(line, recipe) {
  const { format, kid, check } = recipe.key;
  const bad = (why, hint) => refuse('key', 'the key', why, hint);
  if (format === 'raw') bad('raw bytes cannot travel in a variable', 'idem key subkey -r RECIPE cuts a line of it, and format: idemkey reads that');
  const trimmed = line.replace(/\r?\n$/, '');
  let secret = null;
  if (format === 'hex') {
    if (!/^([0-9a-fA-F]{2})+$/.test(trimmed)) bad('it is not hexadecimal of even length on one line');
    secret = decodeBits(trimmed.toLowerCase(), 4, hexDigits);
  } else if (format === 'base64') {
    const body = trimmed.replace(/={1,2}$/, '');
    if (trimmed.length % 4 === 0 && body.length % 4 !== 1 && trimmed.length - body.length === (4 - (body.length % 4)) % 4) secret = decodeBits(body, 6, base64Alphabet);
    if (secret === null) bad('it is not padded base64 on one line');
  } else {
    const material = readKeyLine(trimmed, recipe, bad);
    if (material.subkey) return material;
    secret = material.secret;
  }
  if (secret.length < 32) bad('the secret has ' + secret.length + ' bytes; it needs 32 or more');
  if (check !== '' && crockford32(hkdf(secret, 'idem/check/v1', JSON.stringify([kid]), 5)) !== check) {
    bad('the wrong secret was loaded: its check value is not the one in the recipe');
  }
  return { secret };
}

// readKeyLine reads an idemkey1 or idemsub1 line. Decoding and encoding again
// must give the very line.
function readKeyLine(line, recipe, bad) {
  const parts = line.split('-');
  const [head, kid] = parts;
  if (head === 'idemkeyx1') bad('it is sealed under a passphrase, which this node cannot open', 'idem key subkey makes a line for this one recipe');
  if (head !== 'idemkey1' && head !== 'idemsub1') bad('it is no idemkey line', 'idem key new makes one');
  const bytes = parts.length === 4 ? decodeBits(parts[2], 5, base32Alphabet) : null;
  const sum = parts.length === 4 && parts[3].length === 7 ? decodeBits(parts[3], 5, base32Alphabet) : null;
  if (bytes === null || sum === null || bytes.length !== 32 || !kidPattern.test(kid)) bad('the ' + head + ' line is damaged or cut');
  const text = head + '-' + kid + '-' + base32(bytes);
  const covered = head === 'idemsub1' ? text + tripleInfo(recipe) : text;
  if (text + '-' + base32(crc32(utf8(covered))) !== line) {
    bad(head === 'idemsub1' ? 'the subkey is damaged, or for another namespace, operation or version' : 'the ' + head + ' line is damaged or cut: its checksum does not hold');
  }
  if (kid !== recipe.key.kid) bad('the key is called ' + kid + ', and kid ' + recipe.key.kid + ' is wanted');
  return head === 'idemsub1' ? { subkey: bytes } : { secret: bytes };
}

const tripleInfo = (recipe) => JSON.stringify([recipe.namespace, recipe.operation, recipe.version]);

// subkeyOf is SK (determ-v1, Steps 3).
function subkeyOf(key, recipe) {
  return key.subkey || hkdf(key.secret, 'idem/determ/v1', tripleInfo(recipe));
}

// isPublic says whether everybody knows the key: then it proves nothing.
function isPublic(key, recipe) {
  return hex(subkeyOf(key, recipe)) === hex(subkeyOf({ secret: publicTestSecret() }, recipe));
}
