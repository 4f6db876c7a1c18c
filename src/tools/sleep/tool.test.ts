import { expect, test } from 'vitest'
import { callTool } from '../../testing/call-tool.js'
import { fakeClock } from '../../testing/fakes.js'
import { SleepTool } from './tool.js'

test('a call waits for the requested time', async () => {
  const clock = fakeClock(1_000)

  expect(await callTool(SleepTool, { seconds: 2.5 }, { clock })).toBe('Waited 2.5 s.')
  expect(clock.now()).toBe(3_500)
})

test('an interrupted call reports how long it actually waited', async () => {
  const abortController = new AbortController()
  abortController.abort()

  expect(await callTool(SleepTool, { seconds: 60 }, { clock: fakeClock(), abortController })).toBe(
    'Waited 0.0 s, then interrupted.',
  )
})

test.each([0, -1, 3_601, '5', Number.NaN])('a wait of %s seconds is refused', async (seconds) => {
  await expect(callTool(SleepTool, { seconds }, { clock: fakeClock() })).rejects.toMatchObject({
    code: 'input_invalid',
  })
})
