// The process that writes canonical forms by canonicalize; ../worker.go says
// what it is told. Documents come and go as bytes, as for everybody else.
import { readFileSync, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import canonicalize from 'canonicalize'

const inputs = []

const canonical = (text) => Buffer.from(canonicalize(JSON.parse(text.toString('utf8'))), 'utf8')

function load (file) {
  const texts = []
  const all = readFileSync(file)
  for (let at = 0; at < all.length;) {
    const end = all.indexOf(10, at)
    texts.push(all.subarray(at, end))
    at = end + 1
  }
  inputs.push(texts)
  return 'ok'
}

function write (texts, file) {
  const parts = []
  for (const text of texts) parts.push(canonical(text), Buffer.from('\n'))
  writeFileSync(file, Buffer.concat(parts))
  return 'ok'
}

function run (texts, n) {
  let size = 0 // what is made is looked at, so that it must be made
  const began = process.hrtime.bigint()
  for (let i = 0; i < n; i++) for (const text of texts) size += canonical(text).length
  const took = process.hrtime.bigint() - began
  return size < 0 ? 'no\tnothing was made' : `ok\t${took}\t-1`
}

function obey (words) {
  if (words[0] === 'load') return load(words[1])
  const texts = inputs[Number(words[1])]
  return words[0] === 'write' ? write(texts, words[2]) : run(texts, Number(words[2]))
}

for await (const line of createInterface({ input: process.stdin })) {
  let answer
  try {
    answer = obey(line.split('\t'))
  } catch (error) {
    answer = `no\t${error.message}`
  }
  process.stdout.write(answer + '\n')
}
