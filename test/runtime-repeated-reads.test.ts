import { describe, expect, test } from 'vitest'
import { ReadTool } from '../src/tools/read/tool.js'
import { createFileRuntime } from './lib/file-runtime.js'
import { call, textOf } from './runtime-fixtures.js'

const UNCHANGED_NOTE = /has not changed since you read/
const INPUT = { file_path: 'a.txt' }

test('a read that repeats one of an earlier message is answered as unchanged', async () => {
  const files = await createFileRuntime()
  await files.put('a.txt', 'one')

  expect((await files.use('Read', INPUT)).text).toBe('1\tone')
  expect((await files.use('Read', INPUT)).text).toMatch(UNCHANGED_NOTE)
  expect((await files.use('Read', INPUT)).text).toMatch(UNCHANGED_NOTE)
})

test('equal reads in one message all return the content', async () => {
  const files = await createFileRuntime()
  await files.put('a.txt', 'one')

  const results = await files.runtime.run(['r1', 'r2', 'r3'].map((id) => call('Read', INPUT, id))).results

  expect(results.map(textOf)).toEqual(['1\tone', '1\tone', '1\tone'])
})

describe('a read is never answered as unchanged if the model did not get the content', () => {
  test('because a hook replaced it', async () => {
    let isReplacing = true
    const replaceOutput = () => {
      const updatedToolOutput = { type: 'empty', path: 'hidden' }
      return isReplacing ? { hookSpecificOutput: { updatedToolOutput } } : {}
    }
    const files = await createFileRuntime({
      hooks: { PostToolUse: [{ hooks: [{ type: 'function', run: replaceOutput }] }] },
    })
    await files.put('a.txt', 'one')
    expect((await files.use('Read', INPUT)).text).toBe('hidden exists and is empty.')
    isReplacing = false

    expect((await files.use('Read', INPUT)).text).toBe('1\tone')
  })

  test('because the call was cancelled after it had read', async () => {
    const controller = new AbortController()
    const cancel = () => {
      controller.abort()
      return {}
    }
    const files = await createFileRuntime({ hooks: { PostToolUse: [{ hooks: [{ type: 'function', run: cancel }] }] } })
    await files.put('a.txt', 'one')
    const [result] = await files.runtime.run([call('Read', INPUT)], { signal: controller.signal }).results
    expect(result?.is_error).toBe(true)

    expect((await files.use('Read', INPUT)).text).toBe('1\tone')
  })

  test('because it was too long to be sent in full', async () => {
    const files = await createFileRuntime({ tools: [{ ...ReadTool, maxResultSizeChars: 20_000 }] })
    const line = 'x'.repeat(1_500)
    await files.put('a.txt', `${line}\n`.repeat(40))
    const first = await files.use('Read', INPUT)
    expect(first.text.length).toBeLessThan(20_000)

    expect((await files.use('Read', INPUT)).text).not.toMatch(UNCHANGED_NOTE)
  })
})
