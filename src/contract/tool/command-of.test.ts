import { expect, test } from 'vitest'
import * as z from 'zod'
import type { CommandLine } from '../command.js'
import type { PortName } from '../ports/index.js'
import { buildTool } from './build-tool.js'
import { commandOf } from './command-of.js'

const UNKNOWN_COMMAND_LINE = { text: '', language: 'bash' }

function createCommandTool(needs: readonly PortName[], command?: () => CommandLine | undefined) {
  return buildTool({
    name: 'Runner',
    description: 'Runs a command',
    needs,
    inputSchema: z.object({}),
    isReadOnly: () => true,
    ...(command !== undefined && { command }),
    async call() {
      return { data: '' }
    },
  })
}

test('the command of a call is the one that its tool states', () => {
  expect(
    commandOf(
      createCommandTool(['shell'], () => ({ text: 'ls', language: 'bash' })),
      {},
    ),
  ).toEqual({
    text: 'ls',
    language: 'bash',
  })
})

test('a call of a tool that runs no commands has no command', () => {
  expect(
    commandOf(
      createCommandTool(['files'], () => ({ text: 'ls', language: 'bash' })),
      {},
    ),
  ).toBeUndefined()
})

test('a call of a terminal tool may state that it runs no command, but a call of a shell tool may not', () => {
  const stateNoCommand = () => undefined
  expect(commandOf(createCommandTool(['terminal'], stateNoCommand), {})).toBeUndefined()
  expect(commandOf(createCommandTool(['shell'], stateNoCommand), {})).toEqual(UNKNOWN_COMMAND_LINE)
})

const fail = () => {
  throw new Error('not now')
}
test.each([
  ['states no command', undefined],
  ['fails to state its command', fail],
  ['states an invalid command', () => ({ text: 7, language: 'bash' }) as never],
])('the command of a tool that %s is unknown', (_, command) => {
  expect(commandOf(createCommandTool(['terminal'], command), {})).toEqual(UNKNOWN_COMMAND_LINE)
  expect(commandOf(createCommandTool(['shell'], command), {})).toEqual(UNKNOWN_COMMAND_LINE)
})

test('the text of a stated command is read once, so that it cannot change after the check', () => {
  let reads = 0
  const line: CommandLine = {
    language: 'bash',
    get text() {
      return reads++ === 0 ? 'ls' : 'rm a'
    },
  }

  expect(
    commandOf(
      createCommandTool(['shell'], () => line),
      {},
    ),
  ).toEqual({ text: 'ls', language: 'bash' })
})
