import { writeFileSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import type { ServerPart, ServerRequest, ServerTurn } from '../src/testing/models/server/server-turn.js'
import { startModelServer } from '../src/testing/models/server/start-model-server.js'
import { createHeadlessFixture } from './lib/headless-fixture.js'
import { findBrokenParts, type RequestParts, splitParts } from './lib/request-prefix.js'
import { readTranscriptLines } from './lib/transcript-lines.js'

const { at, file, run } = createHeadlessFixture()

const WINDOW_TOKENS = 40_000
const BYTES_PER_TOKEN = 4
const SMALL_READ_COUNT = 30
const LARGE_READ_COUNT = 12
const SUMMARY_TEXT = 'SUMMARY: many files were read.'

/** Results that can be cleared, followed by results that have to be summarised. */
const READ_TURNS: readonly ServerPart[] = [
  ...Array.from({ length: SMALL_READ_COUNT }, (_, index) => readCall(`small-${index}.txt`)),
  ...Array.from({ length: LARGE_READ_COUNT }, (_, index) => readCall(`large-${index}.txt`)),
]

test('only clearing and compaction change messages that were sent, and both are recorded in the transcript', {
  timeout: 120_000,
}, async () => {
  for (let index = 0; index < SMALL_READ_COUNT; index++)
    writeFileSync(file(`small-${index}.txt`), createText(index, 3_000))
  for (let index = 0; index < LARGE_READ_COUNT; index++)
    writeFileSync(file(`large-${index}.txt`), createText(index, 10_000))
  const turns = READ_TURNS.values()
  const respond = ({ body }: ServerRequest): ServerTurn => {
    const usage = { input_tokens: Math.ceil(JSON.stringify(body).length / BYTES_PER_TOKEN) }
    if (isSummaryRequest(body)) return { parts: [{ text: SUMMARY_TEXT }], usage }
    const { value } = turns.next()
    return { parts: [value ?? { text: 'Done.' }], usage }
  }
  const server = await startModelServer([respond], { shouldRepeat: true })
  onTestFinished(() => server.close())
  const settings = {
    providers: { local: { type: 'anthropic', baseUrl: server.url, apiKey: 'key' } },
    models: { 'claude-local': { contextWindow: WINDOW_TOKENS, maxOutputTokens: 8_000 } },
  }
  const args = ['--settings', JSON.stringify(settings), '--model', 'local/claude-local', '--trust']

  const outcome = await run(['-p', 'Read all of them.', '--session-id', 'small', ...args])

  expect(outcome).toEqual({ code: 0, stdout: 'Done.\n', stderr: '' })
  const { requests } = server
  // No request exceeded the context window.
  expect(Math.max(...requests.map(({ body }) => JSON.stringify(body).length / BYTES_PER_TOKEN))).toBeLessThan(
    WINDOW_TOKENS,
  )
  const mainRequests = requests.filter(({ body }) => !isSummaryRequest(body)).map(({ body }) => splitParts(body))
  const changedParts = mainRequests
    .slice(1)
    .map((laterRequest, index) => findBrokenParts(mainRequests[index] as RequestParts, laterRequest))
  const rewrites = changedParts.filter((parts) => parts.length > 0)
  expect(rewrites).toEqual(rewrites.map(() => ['messages']))
  const recordedRewrites = (await readTranscriptLines(at('home'), at('project'), 'small')).filter(
    ({ type }) => type === 'messages-rewritten',
  )
  expect(rewrites).toHaveLength(recordedRewrites.length)
  const causes = recordedRewrites.map(({ cause }) => cause)
  expect(new Set(causes)).toEqual(new Set(['clearing', 'compaction']))
  // The summary is requested at the end of the existing messages, so that the prompt cache is used.
  const summaryIndexes = requests.flatMap(({ body }, index) => (isSummaryRequest(body) ? [index] : []))
  expect(summaryIndexes).toHaveLength(causes.filter((cause) => cause === 'compaction').length)
  for (const index of summaryIndexes) {
    const [partsBefore, summary] = [splitParts(requests[index - 1]?.body), splitParts(requests[index]?.body)]
    expect(findBrokenParts(partsBefore, summary).filter((part) => part !== 'other fields')).toEqual([])
  }
  expect(JSON.stringify(mainRequests.at(-1)?.messages)).toContain(SUMMARY_TEXT)
})

function readCall(name: string): ServerPart {
  return { call: 'Read', input: { file_path: name } }
}

function createText(index: number, size: number): string {
  return `file ${index} has words\n`.repeat(size / 16)
}

function isSummaryRequest({ messages }: { messages: readonly unknown[] }): boolean {
  return JSON.stringify(messages.at(-1)).includes('about to exceed your context window')
}
