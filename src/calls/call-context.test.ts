import { expect, test } from 'vitest'
import { fakeClock, fakeState } from '../testing/fakes.js'
import { createCallContext } from './call-context.js'
import { CallControl } from './cancellation.js'
import { FixtureHost, fixtureTool } from './fixture-host.js'

const ports = { clock: fakeClock(), state: fakeState() }

function contextOf(tool = fixtureTool(), control = new CallControl()) {
  const { host } = new FixtureHost({ ports })
  return createCallContext(tool, 'toolu_1', { host, control, cwd: '/project', messages: [] })
}

test('a call gets the core, and no port that it did not name', () => {
  expect(Object.keys(contextOf()).sort()).toEqual(
    ['abortController', 'cwd', 'messages', 'options', 'queryTracking', 'signal', 'toolUseId'].sort(),
  )
})

test('a port that the tool names is there, and no other', () => {
  const context: object = contextOf(fixtureTool({ needs: ['clock'] }))

  expect(context).toMatchObject({ clock: ports.clock })
  expect('state' in context).toBe(false)
})

test('a port that the host does not supply is named', () => {
  expect(() => contextOf(fixtureTool({ needs: ['clock', 'shell'] }))).toThrow(
    expect.objectContaining({
      code: 'unavailable',
      message: 'Echo needs shell, which this host does not supply. Work without it.',
    }),
  )
})

test('a copy of the context has the same signal', () => {
  const control = new CallControl()
  const context = contextOf(fixtureTool(), control)

  const copy = { ...context, cwd: '/elsewhere' }
  control.cancel({ type: 'aborted' })

  expect(copy.signal).toBe(context.abortController.signal)
  expect(copy.signal.aborted).toBe(true)
})
