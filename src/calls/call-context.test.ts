import { expect, test } from 'vitest'
import { fakeClock, fakeState } from '../testing/fakes.js'
import { createCallContext } from './call-context.js'
import { Cancellation } from './cancellation.js'
import { createFixtureTool, FixtureHost } from './fixture-host.js'

const ports = { clock: fakeClock(), state: fakeState() }

function createContext(tool = createFixtureTool(), cancellation = new Cancellation()) {
  const { environment } = new FixtureHost({ ports })
  return createCallContext(tool, {
    toolUse: { type: 'tool_use', id: 'toolu_1', name: tool.name, input: {} },
    ...{ environment, cancellation, messages: [] },
    location: { cwd: '/project', options: environment.contextOptions.options },
    ...{ parentToolUseId: undefined, openCallsPort: () => undefined },
    ...{ isApprovedByUser: false, isAllowedByRule: false, isOver: false, command: undefined },
    ...{ judgedPaths: undefined, judgedUrl: undefined },
  })
}

test('a context contains the core members and no port that the tool does not need', () => {
  expect(Object.keys(createContext()).sort()).toEqual(
    ['abortController', 'cwd', 'messages', 'options', 'queryTracking', 'signal', 'toolUseId'].sort(),
  )
})

test('a context contains exactly the ports that the tool needs', () => {
  const context: object = createContext(createFixtureTool({ needs: ['clock'] }))

  expect(context).toMatchObject({ clock: ports.clock })
  expect('state' in context).toBe(false)
})

test('a tool that needs a port that the host lacks gets an error that names the port', () => {
  expect(() => createContext(createFixtureTool({ needs: ['clock', 'shell'] }))).toThrow(
    expect.objectContaining({
      code: 'unavailable',
      message: 'Echo needs the "shell" port, which this host does not provide. Work without this tool.',
    }),
  )
})

test('a copied context has the same signal', () => {
  const cancellation = new Cancellation()
  const context = createContext(createFixtureTool(), cancellation)

  const contextCopy = { ...context, cwd: '/elsewhere' }
  cancellation.cancel({ type: 'aborted' })

  expect(contextCopy.signal).toBe(context.abortController.signal)
  expect(contextCopy.signal.aborted).toBe(true)
})
