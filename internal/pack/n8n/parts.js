// The six parts of a dry run, under the names that idem verify gives them, each
// with what it says of this very payload.
const here = {
  request_fingerprint: (item) => ({ request_fingerprint: item.request_fingerprint, payload_fingerprint: item.payload_fingerprint }),
  stable_id: (item) => ({ id: item.id, canonical_identity: item.canonical_identity, secret: item.secret }),
};

return $input.all().map((item, index) => {
  const six = (item.json.six_parts || []).map((part) => ({
    part: part.part,
    section: part.section,
    facts: Object.fromEntries(part.facts.map((f) => [f.fact, f.known ? f.value : 'not said'])),
    this_payload: Object.prototype.hasOwnProperty.call(here, part.section) ? here[part.section](item.json) : {},
  }));
  return { json: Object.assign({}, item.json, { six_parts: six }), pairedItem: { item: index } };
});
