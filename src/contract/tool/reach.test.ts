import { expect, test } from 'vitest'
import { PORT_NAMES, PORT_REACH, type PortName } from '../ports/index.js'
import { reachOf, runsCommands, type ToolReach, touchesFiles, worstReachOf } from './reach.js'

const summarise = (reach: ToolReach) =>
  [
    reach.readsFiles && 'read',
    reach.writesFiles && 'write',
    runsCommands(reach) && 'run',
    reach.usesNetwork && 'network',
    reach.delegates && 'delegate',
  ]
    .filter(Boolean)
    .join(' ')

test.each<[PortName, string]>([
  ['files', 'read write'],
  ['search', 'read'],
  ['shell', 'read write run delegate'],
  ['terminal', 'read write run delegate'],
  ['http', 'network'],
  ['model', 'read write delegate'],
  ['ask', ''],
  ['agents', 'read write delegate'],
  ['tasks', 'read write delegate'],
  ['catalog', ''],
  ['state', ''],
  ['settings', ''],
  ['checkpoints', 'read'],
  ['lsp', 'read write delegate'],
  ['mcp', 'network delegate'],
  ['browser', 'read write network delegate'],
  ['notify', ''],
  ['schedule', 'read write delegate'],
  ['clock', ''],
])('a tool that needs the port %s can reach "%s"', (port, expected) => {
  expect(summarise(reachOf({ needs: [port] }))).toBe(expected)
})

test('a reach is declared for every port', () => {
  expect(PORT_NAMES.filter((port) => !Array.isArray(PORT_REACH[port]))).toEqual([])
  expect(PORT_NAMES).toHaveLength(19)
})

test('a tool may do what any of its ports allows', () => {
  expect(summarise(reachOf({ needs: ['search', 'http'] }))).toBe('read network')
})

test('a tool without needs reaches nothing through ports, but in the worst case it may touch any file', () => {
  expect(summarise(reachOf({}))).toBe('')
  expect(summarise(worstReachOf({}))).toBe('read write')
})

test('a tool with an empty list of needs touches no file, even in the worst case', () => {
  expect(touchesFiles(worstReachOf({ needs: [] }))).toBe(false)
})

test('in the worst case, delegated work may touch any file', () => {
  expect(summarise(worstReachOf({ needs: ['mcp'] }))).toBe('read write network delegate')
  expect(summarise(worstReachOf({ needs: ['http'] }))).toBe('network')
})
