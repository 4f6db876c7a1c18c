import { afterEach, expect, test } from 'vitest'
import * as z from 'zod'
import type { ShellPort, ShellRequest } from '../../contract/ports/shell.js'
import { lazySchema } from '../../contract/schema.js'
import { buildTool } from '../../contract/tool/build-tool.js'
import { createToolRuntime } from '../../runtime/create-tool-runtime.js'
import type { HaftRuntime } from '../../runtime/haft-runtime.js'
import type { ToolRuntimeOptions } from '../../runtime/options.js'
import { BashTool } from './tool.js'

let runtime: HaftRuntime | undefined
afterEach(() => runtime?.dispose())

/** How the command was to be held; 'refused' where it did not run. */
async function held(command: string, options: Partial<ToolRuntimeOptions>, name = 'Bash'): Promise<string> {
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
  await runtime.run([{ type: 'tool_use', id: 'toolu_1', name, input: { command } }]).results
  const [request] = requests
  if (request === undefined) return 'refused'
  return request.isAllowedByRule === true ? 'as the settings say' : (request.confinement ?? 'as the settings say')
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
  // A repository decides which programs git starts.
  [['Bash(git diff:*)'], 'git diff', 'read-only'],
  // So it does where one program starts another.
  [['Bash(sleep:*)'], "bash -c 'sleep 0 && uptime'", 'read-only'],
  [['Bash(sleep:*)'], "bash -c 'sleep 0'", 'read-only'],
  [['Bash'], "bash -c 'sleep 0 && uptime'", 'read-only'],
  [['Bash(sleep:*)'], 'timeout 5 sleep 0', 'read-only'],
  [['Bash(sleep:*)'], 'env A=1 sleep 0', 'read-only'],
  [['Bash(sleep:*)'], 'command sleep 0', 'read-only'],
  [['Bash(sleep:*)'], 'time sleep 0', 'read-only'],
])('under %j, %j is held: %s', async (allow, command, expected) => {
  expect(await held(command, { permissions: { allow } })).toBe(expected)
})

test('a command allowed by the user or a mode stays sandboxed as before', async () => {
  const permissions = { allow: ['Bash(sleep:*)'], ask: ['Bash(sleep:*)'] }
  expect(await held('sleep 0', { permissions })).toBe('refused')
  expect(await held('sleep 0', { permissions, ask: async () => ({ behavior: 'allow' }) })).toBe('read-only')
  expect(await held('sleep 0', { permissions: { mode: 'bypassPermissions' }, policy: { isSandboxed: true } })).toBe(
    'read-only',
  )
})

test('in plan mode only read-only commands run, whatever rules allow', async () => {
  expect(await held('sleep 0', { permissions: { mode: 'plan', allow: ['Bash(sleep:*)'] } })).toBe('read-only')
  expect(await held('touch here', { permissions: { mode: 'plan', allow: ['Bash(touch:*)'] } })).toBe('refused')
})

test('a rule for one tool does not cover a command of another', async () => {
  const outer = buildTool({
    name: 'Outer',
    needs: ['shell'],
    description: () => 'Runs a command by another tool',
    prompt: () => 'A tool for a test.',
    inputSchema: lazySchema(() => z.strictObject({ command: z.string() })),
    async call(input, context, canUseTool, parent) {
      const { data } = await BashTool.call(input, context, canUseTool as never, parent)
      return { data: data.output }
    },
  })
  const options = { tools: [outer, BashTool], permissions: { allow: ['Outer'] } }
  expect(await held('sleep 0', options, 'Outer')).toBe('read-only')
})

test('a command that the user substitutes is judged on its own', async () => {
  const permissions = { allow: ['Bash(sleep:*)'], ask: ['Bash(uptime:*)'] }
  const into = (command: string) => async () => ({ behavior: 'allow', updatedInput: { command } }) as const
  expect(await held('uptime', { permissions, ask: into('sleep 0') })).toBe('as the settings say')
  expect(await held('uptime', { permissions, ask: into('uptime -p') })).toBe('read-only')
})
