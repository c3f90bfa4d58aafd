// Holds the small parts of the workflow's Code node to Node's own: SHA-256, HMAC,
// HKDF, UTF-8, the encodings and CRC-32.
//
//   node parts.cjs WORKFLOW NODE
const assert = require('node:assert');
const crypto = require('node:crypto');
const fs = require('node:fs');
const vm = require('node:vm');
const zlib = require('node:zlib');

const [, , workflow, name] = process.argv;
const { jsCode } = JSON.parse(fs.readFileSync(workflow, 'utf8')).nodes.find((n) => n.name === name).parameters;
const end = jsCode.indexOf('const items = $input.all();');
assert(end > 0, 'the node takes its items elsewhere');
const names = ['utf8', 'sha256', 'hmac', 'hkdf', 'hex', 'base32', 'base64URL', 'crc32', 'decodeBits', 'encodeBits', 'base32Alphabet', 'base64Alphabet', 'hexDigits'];
const own = vm.runInNewContext('(function() {' + jsCode.slice(0, end) + '\nreturn {' + names.join(',') + '};\n})()');

let compared = 0;
function same(got, want, what) {
  compared++;
  assert.strictEqual(Buffer.from(got).toString('hex'), Buffer.from(want).toString('hex'), what);
}

// Lengths about every edge of a block and of the length's own place in it.
const lengths = Array.from({ length: 300 }, (_, i) => i).concat([511, 512, 513, 4095, 65536, 1 << 20]);
for (const n of lengths) {
  const bytes = crypto.createHash('shake256', { outputLength: n || 1 }).update('bytes' + n).digest().subarray(0, n);
  const list = Array.from(bytes);
  same(own.sha256(list), crypto.createHash('sha256').update(bytes).digest(), 'sha256 of ' + n);
  if (n > 4096) continue;
  same(own.hmac(list, [1, 2, 3]), crypto.createHmac('sha256', bytes).update(Buffer.from([1, 2, 3])).digest(), 'hmac under ' + n);
  same(own.hmac([9], list), crypto.createHmac('sha256', Buffer.from([9])).update(bytes).digest(), 'hmac of ' + n);
  if (n > 0) same(own.hkdf(list, 'salt' + n, 'é' + n, 1 + (n % 32)), crypto.hkdfSync('sha256', bytes, 'salt' + n, 'é' + n, 1 + (n % 32)), 'hkdf of ' + n);
  assert.strictEqual(own.hex(list), bytes.toString('hex'));
  assert.strictEqual(own.base64URL(list), bytes.toString('base64url'));
  const base64 = bytes.toString('base64').replace(/=/g, '');
  same(own.decodeBits(base64, 6, own.base64Alphabet), bytes, 'base64 of ' + n);
  same(own.decodeBits(own.base32(list), 5, own.base32Alphabet), bytes, 'base32 of ' + n);
  if (n % 3 === 1) assert.strictEqual(own.decodeBits(base64.slice(0, -1) + 'B', 6, own.base64Alphabet), null, 'bits left over');
  if (zlib.crc32) same(own.crc32(list), Buffer.from(zlib.crc32(bytes).toString(16).padStart(8, '0'), 'hex'), 'crc32 of ' + n);
}
same(own.crc32(Array.from(Buffer.from('123456789'))), Buffer.from('cbf43926', 'hex'), 'the check value of CRC-32');
for (let point = 0; point <= 0x10ffff; point += point < 0x3000 ? 1 : 251) {
  if (point >= 0xd800 && point <= 0xdfff) {
    assert.throws(() => own.utf8(String.fromCharCode(point)), /surrogate/);
    continue;
  }
  same(own.utf8('a' + String.fromCodePoint(point)), Buffer.from('a' + String.fromCodePoint(point)), 'U+' + point.toString(16));
}
console.log(compared + ' compared');
