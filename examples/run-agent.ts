import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildTool, NoAnswerError, runAgent } from 'haft'
import { createScriptedModel, resultsOf } from 'haft/models'
import * as z from 'zod'

const folder = await mkdtemp(join(tmpdir(), 'haft-run-agent-'))
await writeFile(join(folder, 'port.txt'), '8080')

const CountWords = buildTool({
  name: 'CountWords',
  description: 'Counts the words of a text',
  inputSchema: z.object({ text: z.string() }),
  isReadOnly: () => true,
  call: async ({ text }) => ({ data: String(text.split(/\s+/).length) }),
})

// A script in place of a model, so that the example needs no key. Write `model: 'claude-sonnet-5-5'` to use a real one.
const model = createScriptedModel([
  {
    calls: [
      { name: 'Read', input: { file_path: join(folder, 'port.txt') } },
      { name: 'CountWords', input: { text: 'one two three' } },
    ],
  },
  (request) =>
    resultsOf(request)
      .map(({ text }) => /\d+$/.exec(text.trim())?.[0])
      .join(' and '),
  'It is still 8080.',
])

const agent = runAgent('Which port is in port.txt, and how many words has "one two three"?', {
  ...{ model, cwd: folder, env: { ...process.env, HOME: folder } },
  tools: ['default', CountWords],
  permissions: { allow: ['CountWords'] },
})
const usedTools: string[] = []
for await (const event of agent)
  if (event.type === 'tool-event' && event.event.type === 'call-queued') usedTools.push(event.event.toolName)
const answer = await agent.answer

const { sessionId } = await agent.result
const followUp = runAgent('Sure?', { model, cwd: folder, env: { HOME: folder }, session: { resume: sessionId } })
const secondAnswer = await followUp.answer

const limited = runAgent('Read port.txt', {
  ...{ cwd: folder, env: { HOME: folder }, session: { isSaved: false }, maxTurns: 1 },
  model: createScriptedModel([{ calls: [{ name: 'Read', input: { file_path: join(folder, 'port.txt') } }] }]),
})
await assert.rejects(limited.answer, NoAnswerError)
await rm(folder, { recursive: true })

console.log(answer, usedTools, secondAnswer)
assert.equal(answer, '8080 and 3')
assert.deepEqual(usedTools.toSorted(), ['CountWords', 'Read'])
assert.equal(secondAnswer, 'It is still 8080.')
