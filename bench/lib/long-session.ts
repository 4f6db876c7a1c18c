import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Message, ToolResultBlock } from '../../src/contract/messages.js'
import { resumeSession } from '../../src/session/transcript/resume/resume-session.js'
import { getProjectFolder, SessionPaths } from '../../src/session/transcript/storage/session-paths.js'
import { openTranscript } from '../../src/session/transcript/write/open-transcript.js'

/** Writes, parses or resumes a long session, and prints its time and peak memory. */
const [folder = '', step = '', kind = ''] = process.argv.slice(2)
const options = { home: join(folder, kind), projectRoot: '/project', cwd: '/project' }
const SESSION_BYTES = 200_000_000
const LINE = '  const value = await read(\'file\', { "limit": 10 }) // a line of code like any other\n'
const RESULT_LINE_COUNT = 140
const KEPT_MESSAGE_COUNT = 20
const MAX_MESSAGES = 400

const startMs = performance.now()
const STEPS: Readonly<Record<string, () => void | Promise<void>>> = { write, parse, resume }
await STEPS[step]?.()
const ms = performance.now() - startMs
console.log(JSON.stringify({ ms, peakMb: Math.round(process.resourceUsage().maxRSS / 1000) }))

function write(): void {
  const transcript = openTranscript({ ...options, sessionId: 'long' })
  let messages: Message[] = []
  const add = (message: Message) => {
    transcript.log.messageAdded(message, { model: 'm' })
    messages.push(message)
  }
  for (let bytes = 0, turn = 0; bytes < SESSION_BYTES; turn++) {
    const id = `toolu_${turn}`
    const content = `${LINE.repeat(RESULT_LINE_COUNT)}${turn} ✂`
    const result: ToolResultBlock = { type: 'tool_result', tool_use_id: id, content }
    if (turn % 50 === 0) add({ type: 'user', content: `Continue with part ${turn}.` })
    add({
      type: 'assistant',
      content: [{ type: 'tool_use', id, name: 'Read', input: { file_path: `/project/${turn}` } }],
    })
    transcript.onToolEvent({ type: 'call-queued', toolUseId: id, at: turn, toolName: 'Read', input: {} })
    transcript.onToolEvent({ type: 'call-started', toolUseId: id, at: turn })
    transcript.onToolEvent({ type: 'call-ended', toolUseId: id, at: turn, result })
    add({ type: 'user', content: [result] })
    bytes += 2 * content.length
    if (kind !== 'compacted' || messages.length < MAX_MESSAGES) continue
    messages = [
      { type: 'attachment', kind: 'summary', data: { text: 'A summary.' } },
      ...messages.slice(-KEPT_MESSAGE_COUNT),
    ]
    transcript.log.messagesRewritten(messages, 'compaction')
  }
  transcript.close()
}

function parse(): void {
  const { transcript } = new SessionPaths(getProjectFolder(options.home, options.projectRoot), 'long')
  const lines = readFileSync(transcript, 'utf8').split('\n')
  for (const line of lines) if (line !== '') JSON.parse(line)
}

async function resume(): Promise<void> {
  const { transcript, messages } = await resumeSession('long', options)
  transcript.close()
  if (messages.length === 0) throw new Error('The resumed session has no messages.')
}
