// Safe retries for n8n: one stable ID for each operation, made before the
// first attempt, by the published recipe determ-v1. It needs nothing but the
// language: no module, no network, no clock but for a companion header.
//
// It reads from the bottom up: prepare() is what happens to one item, and all
// above it is what that needs. Secrets are read where they are used and leave
// nowhere: whatever this node returns is stored by n8n.

// refuse ends the run with the place, what is wrong and how to mend it. It
// never shows a value of the payload: n8n stores errors too.
function refuse(refusal, place, what, hint) {
  const error = new Error((place === '' ? '' : place + ': ') + what + (hint ? '; ' + hint : ''));
  error.refusal = refusal;
  error.place = place;
  throw error;
}

// shown gives a token of a pointer that may be shown: names are, and what could
// be somebody's address or number is not.
function shown(token) {
  const digits = token.replace(/[^0-9]/g, '').length;
  return /^[A-Za-z0-9_.~$-]{0,40}$/.test(token) && digits < 6 ? token : '«masked»';
}

// pointerText writes a path as a JSON Pointer (RFC 6901), to be shown.
function pointerText(path) {
  return path.map((token) => '/' + shown(String(token)).replace(/~/g, '~0').replace(/\//g, '~1')).join('');
}
