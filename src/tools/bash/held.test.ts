import { afterEach, expect, test } from 'vitest'
import type { ShellPort, ShellRequest } from '../../contract/ports/shell.js'
import { createToolRuntime } from '../../runtime/create-tool-runtime.js'
import type { HaftRuntime } from '../../runtime/haft-runtime.js'
import type { ToolRuntimeOptions } from '../../runtime/runtime-options.js'
import { BashTool } from './tool.js'

let runtime: HaftRuntime | undefined
afterEach(() => runtime?.dispose())

/** How the command was to be held; 'refused' where it did not run. */
async function held(command: string, options: Partial<ToolRuntimeOptions>): Promise<string> {
  const requests: ShellRequest[] = []
  const shell: ShellPort = {
    async run(request) {
      requests.push(request)
      const output = { text: '', receivedBytes: 0, keptBytes: 0, isCut: false }
      const { cwd } = request
      return { exitCode: 0, signal: null, timedOut: false, cwd, output, confinement: 'none', refusals: [] }
    },
    start: () => Promise.reject(new Error('Nothing runs in the background here.')),
    confinement: async () => ({ isAvailable: true, reason: 'a trial', byDefault: 'none' }),
  }
  runtime = createToolRuntime({ tools: [BashTool], cwd: '/', ports: { shell }, ...options })
  await runtime.run([{ type: 'tool_use', id: 'toolu_1', name: 'Bash', input: { command } }]).results
  const [request] = requests
  return request === undefined ? 'refused' : (request.confinement ?? 'as the settings say')
}

test.each<[rules: readonly string[], command: string, expected: string]>([
  [[], 'sleep 0', 'read-only'],
  [['Bash(sleep:*)'], 'sleep 0', 'as the settings say'],
  [['Bash(sleep 0)'], 'sleep 0', 'as the settings say'],
  [['Bash'], 'sleep 0', 'as the settings say'],
  [['Bash(seq:*)'], "seq -s ' ' 3", 'as the settings say'],
  [['Bash(touch:*)'], 'touch here', 'as the settings say'],
  // Another program is none that the user has spoken of.
  [['Bash(ls:*)'], 'sleep 0', 'read-only'],
  // Where more than words is written, the rule rests on how Haft understands it.
  [['Bash(sleep:*)'], 'sleep 0; sleep 0', 'read-only'],
  [['Bash(sleep:*)'], 'sleep 0 && uptime', 'read-only'],
  [['Bash(sleep:*)'], 'sleep 0 </dev/null', 'read-only'],
  [['Bash(sleep:*)'], 'sleep $((1-1))', 'read-only'],
  [['Bash(seq:*)'], 'seq "$(echo 3)"', 'read-only'],
  [['Bash'], 'LC_ALL=C sleep 0', 'read-only'],
])('under %j, %j is held: %s', async (allow, command, expected) => {
  expect(await held(command, { permissions: { allow } })).toBe(expected)
})

test('what a person allows is held as before, and so is what a hook allows', async () => {
  const permissions = { allow: ['Bash(sleep:*)'], ask: ['Bash(sleep:*)'] }
  expect(await held('sleep 0', { permissions })).toBe('refused')
  expect(await held('sleep 0', { permissions, ask: async () => ({ behavior: 'allow' }) })).toBe('read-only')
})

test('a command that a person puts in place of another is judged anew', async () => {
  const permissions = { allow: ['Bash(sleep:*)'], ask: ['Bash(uptime:*)'] }
  const ask = async () => ({ behavior: 'allow', updatedInput: { command: 'uptime -p' } }) as const
  expect(await held('uptime', { permissions, ask })).toBe('read-only')
})
