// decimalOf takes a number literal apart: its exact value is 0.digits times ten
// to the exponent, with no zero at either end of the digits; none for zero. It
// is linear in the literal's length, whatever the exponent says.
function decimalOf(literal) {
  const negative = literal[0] === '-';
  let mantissa = negative ? literal.slice(1) : literal;
  let exponent = 0;
  const e = mantissa.search(/[eE]/);
  if (e >= 0) {
    exponent = Number(mantissa.slice(e + 1)); // exact as far as it matters, and infinite at worst
    mantissa = mantissa.slice(0, e);
  }
  const point = mantissa.indexOf('.');
  const whole = point < 0 ? mantissa : mantissa.slice(0, point);
  const digits = whole + (point < 0 ? '' : mantissa.slice(point + 1));
  let first = 0, end = digits.length;
  while (first < end && digits[first] === '0') first++;
  while (end > first && digits[end - 1] === '0') end--;
  if (first === end) return { negative: false, digits: '', exponent: 0 };
  return { negative, digits: digits.slice(first, end), exponent: whole.length - first + exponent };
}

// doubleOf gives the double nearest to a decimal; infinite beyond the range.
// The exponent is settled first, so that no reader has to undo a long one.
function doubleOf(decimal) {
  if (decimal.digits === '' || decimal.exponent < -400) return 0;
  if (decimal.exponent > 400) return Infinity;
  return Number((decimal.negative ? '-' : '') + decimal.digits[0] + '.' + decimal.digits.slice(1) + '0e' + (decimal.exponent - 1));
}

// canonicalNumber writes a literal as RFC 8785, 3.2.2.3 does, which is as
// ECMAScript does.
function canonicalNumber(literal) {
  return String(doubleOf(decimalOf(literal)));
}

// isLossless says whether the canonical form is numerically equal to the
// literal (determ-v1, Admission and numbers).
function isLossless(literal) {
  const a = decimalOf(literal);
  const b = decimalOf(canonicalNumber(literal));
  return a.negative === b.negative && a.digits === b.digits && a.exponent === b.exponent;
}

// isIntegral says whether a number has no fraction: 3, 3.0 and 30e-1 have none.
function isIntegral(literal) {
  const d = decimalOf(literal);
  return d.digits.length <= Math.max(0, d.exponent);
}
