import { statSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import type { Message, ToolResultBlock } from '../src/contract/messages.js'
import { Conversation } from '../src/session/conversation/conversation.js'
import { createSummaryAttachment } from '../src/session/messages/attachments.js'
import { openTranscript } from '../src/session/transcript/write/open-transcript.js'
import { createHeadlessFixture } from './lib/headless-fixture.js'
import { getSessionPaths } from './lib/transcript-lines.js'

const { at, run } = createHeadlessFixture()

const SESSION_MEGABYTES = process.env.HAFT_LONG_TESTS ? 200 : 20
const SESSION_ID = 'large'
/** About as many results as fit into the context window of the model. */
const CALLS_BETWEEN_SUMMARIES = 30
const RESULT_CHARS = 8_000

test(`a transcript of ${SESSION_MEGABYTES} MB resumes from its last summary, and the time is reported`, {
  timeout: 300_000,
}, async () => {
  const { path, rounds } = writeSession()
  const echoScript = at('echo.mjs')
  const shortenedMessages = 'JSON.stringify(messages).replace(/[x]{100,}/g, "")'
  await writeFile(echoScript, `export const script = [({ messages }) => ${shortenedMessages}]`)
  const startMs = performance.now()

  const { code, stdout, stderr } = await run([
    '-p',
    'Go on.',
    '--resume',
    SESSION_ID,
    '--model',
    `scripted:${echoScript}`,
  ])

  const seconds = ((performance.now() - startMs) / 1000).toFixed(2)
  console.log(`resumed ${(statSync(path).size / 1e6).toFixed(0)} MB and answered in ${seconds} s`)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toContain(`Summary of round ${rounds - 1}.`)
  expect(stdout).not.toContain(`Summary of round ${rounds - 2}.`)
  // The last call had ended when the process was killed, but its results message was never written.
  expect(stdout).toContain(`result ${rounds}-${CALLS_BETWEEN_SUMMARIES - 1} `)
  expect(stdout).toContain(`result ${rounds}-0 `)
  expect(stdout).not.toContain(`result ${rounds - 1}-0 `)
  expect(stdout).toContain('Go on.')
})

/** Writes a session of several rounds of calls. Each round is summarised, except the last, which is interrupted. */
function writeSession(): { readonly path: string; readonly rounds: number } {
  const transcript = openTranscript({
    home: at('home'),
    projectRoot: at('project'),
    cwd: at('project'),
    sessionId: SESSION_ID,
  })
  const conversation = new Conversation([], transcript.log)
  const { transcript: path } = getSessionPaths(at('home'), at('project'), SESSION_ID)
  conversation.add({ type: 'user', content: 'Begin.' })
  let rounds = 0
  for (;;) {
    const isLast = rounds > 1 && statSync(path).size >= SESSION_MEGABYTES * 1e6
    for (let step = 0; step < CALLS_BETWEEN_SUMMARIES; step++) {
      const isInterrupted = isLast && step === CALLS_BETWEEN_SUMMARIES - 1
      makeCall(`${rounds}-${step}`, conversation, transcript.onToolEvent, isInterrupted)
    }
    if (isLast) break
    conversation.rewrite(
      [createSummaryAttachment(`Summary of round ${rounds}.`), { type: 'user', content: 'Begin.' }],
      'compaction',
    )
    rounds++
  }
  // Simulates a kill here: no end is recorded.
  transcript.close()
  return { path, rounds }
}

type ToolEventListener = ReturnType<typeof openTranscript>['onToolEvent']

function makeCall(label: string, conversation: Conversation, emit: ToolEventListener, isInterrupted: boolean): void {
  const toolUseId = `call-${label}`
  const call = { toolUseId, toolName: 'Read', at: Date.now() }
  const result: ToolResultBlock = {
    type: 'tool_result',
    tool_use_id: toolUseId,
    content: `result ${label} ${'x'.repeat(RESULT_CHARS)}`,
  }
  const callMessage: Message = {
    type: 'assistant',
    content: [{ type: 'tool_use', id: toolUseId, name: 'Read', input: { file_path: `${label}.txt` } }],
  }
  conversation.add(callMessage, { model: 'scripted' })
  emit({ ...call, type: 'call-started' })
  emit({ ...call, type: 'call-ended', result })
  if (!isInterrupted) conversation.add({ type: 'user', content: [result] })
}
