// Runs a Code node of an n8n workflow as n8n's sandbox does: the node's own text
// in an asynchronous function, $input and $env, and nothing of Node.
//
//   node node.cjs WORKFLOW NODE < runs.ndjson > results.ndjson
//
// A run is {"items": [JSON...], "env": {NAME: VALUE}, "blocked": bool}; its result
// is {"items": [JSON...]} or {"error": MESSAGE, "refusal": CLASS, "place": PLACE}.
const fs = require('node:fs');
const readline = require('node:readline');
const vm = require('node:vm');

const [, , workflow, name] = process.argv;
const node = JSON.parse(fs.readFileSync(workflow, 'utf8')).nodes.find((n) => n.name === name);
const script = new vm.Script('(async function() {' + node.parameters.jsCode + '\n})()', { filename: name });

// What the sandbox gives is the same object for every run; a context costs more
// than what runs in it.
const sandbox = vm.createContext(Object.create(null), { codeGeneration: { strings: false, wasm: false } });

async function run({ items, env = {}, blocked = false }) {
  sandbox.$input = { all: () => items.map((json) => ({ json })) };
  sandbox.$env = new Proxy({}, {
    get(_, variable) {
      if (blocked) throw new Error('access to env vars denied');
      return env[variable];
    },
  });
  try {
    const out = await script.runInContext(sandbox, { timeout: 60000 });
    return { items: out.map((item) => item.json) };
  } catch (error) {
    return { error: String(error.message), refusal: error.refusal, place: error.place };
  }
}

(async () => {
  for await (const line of readline.createInterface({ input: process.stdin, crlfDelay: Infinity })) {
    if (line === '') continue;
    process.stdout.write(JSON.stringify(await run(JSON.parse(line))) + '\n');
  }
})();
