import { expect, test } from 'vitest'
import { PORT_NAMES, type PortName } from '../ports/index.js'
import {
  getCapabilities,
  getWorstCaseCapabilities,
  runsCommands,
  type ToolCapabilities,
  usesFiles,
} from './capabilities.js'

const summarise = (capabilities: ToolCapabilities) =>
  [
    capabilities.readsFiles && 'read',
    capabilities.writesFiles && 'write',
    runsCommands(capabilities) && 'run',
    capabilities.usesNetwork && 'network',
    capabilities.delegates && 'delegate',
  ]
    .filter(Boolean)
    .join(' ')

const EXPECTED_CAPABILITIES: Readonly<Record<PortName, string>> = {
  files: 'read write',
  search: 'read',
  shell: 'read write run delegate',
  terminal: 'read write run delegate',
  http: 'network',
  webSearch: 'network',
  model: 'read write delegate',
  ask: '',
  agents: 'read write delegate',
  tasks: 'read write delegate',
  taskBoard: '',
  teams: '',
  catalog: '',
  state: '',
  settings: '',
  config: '',
  checkpoints: 'read',
  lsp: 'read',
  mcp: 'network delegate',
  browser: 'network',
  notify: '',
  schedule: 'read write delegate',
  workflows: '',
  worktrees: '',
  clock: '',
  calls: 'read write delegate',
  interpreter: '',
  history: '',
}

test.each(PORT_NAMES)('a tool that needs the port %s has the expected capabilities', (port) => {
  expect(summarise(getCapabilities({ needs: [port] }))).toBe(EXPECTED_CAPABILITIES[port])
})

test('a tool may do what any of its ports allows', () => {
  expect(summarise(getCapabilities({ needs: ['search', 'http'] }))).toBe('read network')
})

test('a tool without needs has no capability through ports, but in the worst case it may use any file', () => {
  expect(summarise(getCapabilities({}))).toBe('')
  expect(summarise(getWorstCaseCapabilities({}))).toBe('read write')
})

test('a tool with an empty list of needs uses no file, even in the worst case', () => {
  expect(usesFiles(getWorstCaseCapabilities({ needs: [] }))).toBe(false)
})

test('in the worst case, delegated work may use any file', () => {
  expect(summarise(getWorstCaseCapabilities({ needs: ['mcp'] }))).toBe('read write network delegate')
  expect(summarise(getWorstCaseCapabilities({ needs: ['http'] }))).toBe('network')
})
