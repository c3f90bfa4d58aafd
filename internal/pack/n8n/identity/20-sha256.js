// The constants of FIPS 180-4, 4.2.2 and 5.3.3.
const sha256Rounds = [
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
  0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
  0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
  0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
  0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
];
const sha256Start = [
  0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
];

// sha256 is SHA-256 (FIPS 180-4) of bytes, as 32 bytes.
function sha256(bytes) {
  const blocks = (bytes.length + 9 + 63) >> 6;
  const state = Int32Array.from(sha256Start);
  const w = new Int32Array(64);
  for (let block = 0; block < blocks; block++) {
    for (let i = 0; i < 16; i++) {
      let word = 0;
      for (let j = 0; j < 4; j++) {
        const at = block * 64 + i * 4 + j;
        word = (word << 8) | (at < bytes.length ? bytes[at] : at === bytes.length ? 0x80 : 0);
      }
      w[i] = word;
    }
    if (block === blocks - 1) {
      w[14] = Math.floor(bytes.length / 0x20000000);
      w[15] = bytes.length << 3;
    }
    sha256Block(state, w);
  }
  const out = [];
  for (const word of state) out.push((word >>> 24) & 255, (word >>> 16) & 255, (word >>> 8) & 255, word & 255);
  return out;
}

function sha256Block(state, w) {
  const turn = (x, n) => (x >>> n) | (x << (32 - n));
  for (let i = 16; i < 64; i++) {
    const s0 = turn(w[i - 15], 7) ^ turn(w[i - 15], 18) ^ (w[i - 15] >>> 3);
    const s1 = turn(w[i - 2], 17) ^ turn(w[i - 2], 19) ^ (w[i - 2] >>> 10);
    w[i] = (w[i - 16] + s0 + w[i - 7] + s1) | 0;
  }
  let [a, b, c, d, e, f, g, h] = state;
  for (let i = 0; i < 64; i++) {
    const t1 = (h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + sha256Rounds[i] + w[i]) | 0;
    const t2 = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g; g = f; f = e; e = (d + t1) | 0;
    d = c; c = b; b = a; a = (t1 + t2) | 0;
  }
  [a, b, c, d, e, f, g, h].forEach((word, i) => { state[i] += word; });
}

// hmac is HMAC-SHA-256 (RFC 2104).
function hmac(key, bytes) {
  const block = key.length > 64 ? sha256(key) : key.slice();
  while (block.length < 64) block.push(0);
  const inner = sha256(block.map((b) => b ^ 0x36).concat(bytes));
  return sha256(block.map((b) => b ^ 0x5c).concat(inner));
}

// hkdf is HKDF-SHA-256 (RFC 5869) for at most 32 bytes: one block of it.
function hkdf(secret, salt, info, length = 32) {
  const extracted = hmac(utf8(salt), secret);
  return hmac(extracted, utf8(info).concat([1])).slice(0, length);
}
