import { expect, test } from 'vitest'
import { ToolCallError } from '../../contract/errors.js'
import { fakeClock } from '../../testing/fakes.js'
import { createFixtureTool, FixtureHost } from '../fixture-host.js'

const getRefusal = (validateInput: (...args: unknown[]) => unknown) =>
  new FixtureHost({ tools: [createFixtureTool({ validateInput: validateInput as never })] }).getRefusal('Echo', {
    text: 'x',
  })

test('a call runs with an input that its tool accepts', async () => {
  const { run } = createHost(() => ({ result: true }))

  expect((await run('Echo', { text: 'x' })).block.content).toBe('x')
})

function createHost(validateInput: () => unknown) {
  const host = new FixtureHost({ tools: [createFixtureTool({ validateInput: validateInput as never })] })
  return { run: host.run.bind(host) }
}

test('the model reads the message with which the tool rejects an input', async () => {
  expect(await getRefusal(async () => ({ result: false, message: 'x is a folder', errorCode: 2 }))).toEqual({
    code: 'input_refused',
    text: 'x is a folder',
  })
})

test.each([
  ['throws', () => JSON.parse('{'), /^Echo could not validate its input: .*JSON/],
  ['rejects', async () => JSON.parse('{'), /^Echo could not validate its input: .*JSON/],
  ['returns undefined', () => undefined, /^Echo rejected the input\.$/],
  ['returns true', () => true, /^Echo rejected the input\.$/],
  ['returns an empty message', () => ({ result: false, message: '' }), /^Echo rejected the input\.$/],
  ['returns a malformed result', () => ({ result: 'yes', message: 5 }), /^Echo rejected the input\.$/],
])('an input is refused if validateInput of its tool %s', async (_, validateInput, text) => {
  const refusal = await getRefusal(validateInput)

  expect(refusal.code).toBe('input_refused')
  expect(refusal.text).toMatch(text)
})

test('a ToolCallError that validateInput throws is passed on unchanged', async () => {
  const refusal = await getRefusal(() => {
    throw new ToolCallError('unavailable', 'The index is being built.')
  })

  expect(refusal).toEqual({ code: 'unavailable', text: 'The index is being built.' })
})

test('validateInput gets the ports of its tool', async () => {
  const clock = fakeClock(7)
  let receivedContext: unknown
  const tool = createFixtureTool({
    needs: ['clock'],
    validateInput: (_: unknown, context: object) => {
      receivedContext = context
      return { result: true as const }
    },
  })

  await new FixtureHost({ tools: [tool], ports: { clock } }).run('Echo', { text: 'x' })

  expect(receivedContext).toMatchObject({ clock, cwd: '/project', toolUseId: 'toolu_1' })
})
