// utf8 gives the bytes of a text. Half of a surrogate pair has none.
function utf8(text, place = 'the text') {
  const out = [];
  for (let i = 0; i < text.length; i++) {
    let point = text.charCodeAt(i);
    if (point >= 0xd800 && point <= 0xdfff) {
      const low = i + 1 < text.length ? text.charCodeAt(i + 1) : 0;
      if (point >= 0xdc00 || low < 0xdc00 || low > 0xdfff) {
        refuse('lone surrogate', place, 'half of a surrogate pair stands alone');
      }
      point = 0x10000 + ((point - 0xd800) << 10) + (low - 0xdc00);
      i++;
    }
    if (point < 0x80) {
      out.push(point);
    } else if (point < 0x800) {
      out.push(0xc0 | (point >> 6), 0x80 | (point & 63));
    } else if (point < 0x10000) {
      out.push(0xe0 | (point >> 12), 0x80 | ((point >> 6) & 63), 0x80 | (point & 63));
    } else {
      out.push(0xf0 | (point >> 18), 0x80 | ((point >> 12) & 63), 0x80 | ((point >> 6) & 63), 0x80 | (point & 63));
    }
  }
  return out;
}

const hexDigits = '0123456789abcdef';
const base32Alphabet = 'abcdefghijklmnopqrstuvwxyz234567'; // RFC 4648, lower case
const crockfordAlphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const base64Alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const base64URLAlphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

// encodeBits writes bytes most significant bit first, width bits a character,
// zero bits at the end where they do not come out even.
function encodeBits(bytes, width, alphabet) {
  let out = '', bits = 0, have = 0;
  for (const byte of bytes) {
    bits = (bits << 8) | byte;
    have += 8;
    while (have >= width) {
      have -= width;
      out += alphabet[(bits >> have) & ((1 << width) - 1)];
    }
    bits &= (1 << have) - 1;
  }
  return have > 0 ? out + alphabet[(bits << (width - have)) & ((1 << width) - 1)] : out;
}

// decodeBits undoes encodeBits; null for a character outside the alphabet and
// for bits that encodeBits would not have written.
function decodeBits(text, width, alphabet) {
  const out = [];
  let bits = 0, have = 0;
  for (const character of text) {
    const value = alphabet.indexOf(character);
    if (value < 0) return null;
    bits = (bits << width) | value;
    have += width;
    if (have >= 8) {
      have -= 8;
      out.push((bits >> have) & 255);
    }
    bits &= (1 << have) - 1;
  }
  return have < width && bits === 0 ? out : null;
}

const hex = (bytes) => encodeBits(bytes, 4, hexDigits);
const base32 = (bytes) => encodeBits(bytes, 5, base32Alphabet);
const crockford32 = (bytes) => encodeBits(bytes, 5, crockfordAlphabet);
const base64URL = (bytes) => encodeBits(bytes, 6, base64URLAlphabet);

// crc32 is CRC-32 (IEEE) of bytes, as four bytes, big-endian.
function crc32(bytes) {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  crc = ~crc;
  return [(crc >>> 24) & 255, (crc >>> 16) & 255, (crc >>> 8) & 255, crc & 255];
}
