import { appendFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { Script } from '../../providers/scripted/script.js'
import { Conversation } from '../../session/conversation/conversation.js'
import { query } from '../../session/loop/query.js'
import { SessionPaths } from '../../session/transcript/storage/session-paths.js'
import { createRealRuntime, createRecordingModel, createTemporaryFolder, prompt } from '../../testing/query-fixture.js'
import { createSessionHome } from '../../testing/session-fixture.js'
import { SessionData } from './session-data.js'
import { computeTotals, divideTokens } from './totals.js'

/** Records a session of real calls and requests. */
async function recordSession(turnCount: number) {
  const cwd = await createTemporaryFolder()
  const home = await createSessionHome()
  const transcript = home.open()
  const runtime = createRealRuntime(cwd, {
    telemetry: { timer: transcript.timer },
    onEvent: transcript.onToolEvent,
  })
  transcript.findTool = (name) => runtime.pool.find((tool) => tool.name === name)
  const usage = { input: 1000, output: 10, cacheRead: 500, cacheWrite: 0 }
  const script: Script = {
    id: 'scripted-test',
    facts: { contextWindow: 100_000, maxOutputTokens: 1000, prices: { input: 3, output: 15 } },
    turns: [
      ...Array.from({ length: turnCount - 1 }, (_, index) => ({
        calls: [
          { name: 'Write', input: { file_path: `file-${index}.txt`, content: `ünïcödé ${index}` } },
          // Commands take longer than files.
          ...(turnCount < 10 ? [{ name: 'Bash', input: { command: 'echo done' } }] : []),
        ],
        usage,
      })),
      { text: 'All done.', usage },
    ],
  }
  const model = createRecordingModel(script)
  const conversation = new Conversation([], transcript.log)
  conversation.add(prompt('Write files'))
  await query({ runtime, model, system: ['You are a test.'], conversation, signal: new AbortController().signal })
  const data = new SessionData(SessionPaths.fromFile(transcript.path ?? ''))
  await data.refresh()
  return { data, model, transcript, conversation }
}

test('the parts of 200 recorded requests add up to the bytes that were sent, and their tokens to those of the provider', async () => {
  const { data, model } = await recordSession(200)

  const { requests } = data.rows
  const sentBytes = model.requests.map(({ system, tools, messages }) => {
    return Buffer.byteLength(JSON.stringify({ system, tools, messages }))
  })
  expect(requests).toHaveLength(200)
  expect(requests.map(({ bytes }) => bytes)).toEqual(sentBytes)
  for (const request of requests) {
    expect(request.parts.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(request.bytes)
    expect(divideTokens(request).reduce((sum, { tokens }) => sum + tokens, 0)).toBe(1500)
    expect(request.change).toBeUndefined()
  }
  expect(data.readRequest(199)?.parts.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(sentBytes[199])
})

test('a call has its times, its decision with all stages, its input and its result', async () => {
  const { data } = await recordSession(2)

  const { calls } = data.rows
  expect(calls.map(({ tool, behavior, reason }) => [tool, behavior, reason])).toEqual([
    ['Write', 'allow', 'mode'],
    ['Bash', 'allow', expect.any(String)],
  ])
  const [write] = calls
  const times = [write?.queuedAt, write?.startedAt, write?.runAt, write?.ranAt].map(Number)
  expect(times.every((time) => time > 0)).toBe(true)
  const detail = data.readCall(0)
  expect(detail?.input).toEqual({ file_path: 'file-0.txt', content: 'ünïcödé 0' })
  expect(detail?.result?.is_error).toBeUndefined()
  expect(detail?.trace?.decisions?.[0]?.stages?.map(([stage]) => stage)).toContain('mode')
  expect(detail?.trace?.steps?.map(([name]) => name)).toEqual(
    expect.arrayContaining(['find', 'parse', 'permission', 'checkpoint', 'call', 'serialise']),
  )
})

test('lines that are added later are read from where the last read ended, and an incomplete line only when it is complete', async () => {
  const { data, transcript } = await recordSession(2)
  data.takeUpdate()
  const line = JSON.stringify({ type: 'call-started', toolUseId: 'late', at: 5, toolName: 'Grep', queuedAt: 4 })

  appendFileSync(transcript.path ?? '', line.slice(0, 20))
  await data.refresh()
  const before = data.takeUpdate().calls
  appendFileSync(transcript.path ?? '', `${line.slice(20)}\n`)
  await data.refresh()

  expect(before).toEqual([])
  expect(data.takeUpdate().calls).toMatchObject([[2, { id: 'late', tool: 'Grep', queuedAt: 4, startedAt: 5 }]])
})

test('the totals divide the cost of input among tools', async () => {
  const { data } = await recordSession(3)

  const { total, tools, calls } = computeTotals(data.rows)

  expect(calls).toBe(4)
  expect(total.requests).toBe(3)
  expect(total.costUsd).toBeCloseTo((3 * (1500 * 3 + 10 * 15)) / 1_000_000, 10)
  const costOfTools = tools.reduce((sum, { inputCostUsd }) => sum + inputCostUsd, 0)
  expect(costOfTools).toBeGreaterThan(0)
  expect(costOfTools).toBeLessThan(total.costUsd)
})

test('malformed lines and lines of other programs are skipped', async () => {
  const { data, transcript } = await recordSession(2)
  const { calls, requests } = data.rows
  const counts = [calls.length, requests.length]

  appendFileSync(
    transcript.path ?? '',
    '{"type":"call-started"}\nnull\n{"type":"request-sent","at":1,"messages":5}\n{"type":"call-ended","toolUseId":5,"at":1}\n{"type":"__proto__","at":1}\n',
  )
  await data.refresh()

  expect([data.rows.calls.length, data.rows.requests.length]).toEqual(counts)
})
