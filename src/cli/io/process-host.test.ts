import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ProcessHost } from './process-host.js'
import { StandardOutput } from './standard-output.js'

let typedInput: PassThrough
let prompts: string[]

beforeEach(() => {
  typedInput = new PassThrough()
  prompts = []
  vi.spyOn(process, 'stdin', 'get').mockReturnValue(typedInput as unknown as typeof process.stdin)
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => prompts.push(String(text)) > 0)
})
afterEach(() => {
  vi.restoreAllMocks()
})

test('a typed line answers one question, and the next question is shown afterwards', async () => {
  const host = openHost()
  const firstAnswer = host.readLine('first? ')
  const secondAnswer = host.readLine('second? ')

  typedInput.write('1\n')
  const answer = await firstAnswer
  const promptsBefore = [...prompts]
  typedInput.write('2\n')

  expect([answer, await secondAnswer]).toEqual(['1', '2'])
  expect(promptsBefore[0]).toBe('first? ')
  expect(prompts).toEqual(['first? ', 'second? '])
})

test('a question that is cancelled while queued is never shown', async () => {
  const host = openHost()
  const controller = new AbortController()
  const firstAnswer = host.readLine('first? ')
  const secondAnswer = host.readLine('second? ', { signal: controller.signal })

  controller.abort()
  const unansweredLine = await secondAnswer
  typedInput.write('1\n')

  expect([unansweredLine, await firstAnswer]).toEqual([undefined, '1'])
  expect(prompts).toEqual(['first? '])
})

test('after a cancelled question, the next line answers the next question', async () => {
  const host = openHost()
  const controller = new AbortController()
  const firstAnswer = host.readLine('first? ', { signal: controller.signal })
  const secondAnswer = host.readLine('second? ')

  controller.abort()
  expect(await firstAnswer).toBeUndefined()
  typedInput.end('1\n')

  expect([await secondAnswer, await host.readLine('third? ')]).toEqual(['1', undefined])
})

function openHost(): ProcessHost {
  return new ProcessHost(new StandardOutput(() => {}))
}
