import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'

/** Controls `haft -p` from another program: sends two prompts and answers a permission question. */
const folder = await mkdtemp(join(tmpdir(), 'haft-driven-'))
const file = join(folder, 'greeting.txt')

// A scripted model that needs no key.
const script = join(folder, 'script.json')
const turns = [{ calls: [{ name: 'Write', input: { file_path: file, content: 'hello' } }] }, 'Written.', 'Goodbye.']
await writeFile(script, JSON.stringify({ turns }))

const formats = ['--input-format', 'stream-json', '--output-format', 'stream-json']
const args = ['-p', ...formats, '--permission-prompt-tool', 'stdio', '--model', `scripted:${script}`]
const haft = spawn(process.execPath, [resolve('bin/haft'), ...args], {
  cwd: folder,
  env: { ...process.env, HOME: folder },
  stdio: ['pipe', 'pipe', 'inherit'],
})
const send = (line: object) => haft.stdin.write(`${JSON.stringify(line)}\n`)
const sendPrompt = (content: string) => send({ type: 'user', message: { role: 'user', content } })

const answers: string[] = []
sendPrompt('Write a greeting.')
for await (const text of createInterface({ input: haft.stdout })) {
  const line = JSON.parse(text)
  if (line.type === 'control_request') {
    const { tool_name, input } = line.request
    console.log(`Allowing ${tool_name} to write ${input.content}, in capitals.`)
    const response = { behavior: 'allow', updatedInput: { ...input, content: input.content.toUpperCase() } }
    send({ type: 'control_response', response: { subtype: 'success', request_id: line.request_id, response } })
  }
  if (line.type !== 'result') continue
  console.log(line.result)
  answers.push(line.result)
  if (answers.length === 1) sendPrompt('Thank you.')
  else haft.stdin.end()
}

assert.deepEqual(answers, ['Written.', 'Goodbye.'])
assert.equal(await readFile(file, 'utf8'), 'HELLO')
await rm(folder, { recursive: true })
