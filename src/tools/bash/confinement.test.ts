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

/** Returns the confinement that was requested for the command, or 'refused' if it did not run. */
async function findConfinement(command: string, options: Partial<ToolRuntimeOptions>, name = 'Bash'): Promise<string> {
  const requests: ShellRequest[] = []
  const shell: ShellPort = {
    async run(request) {
      requests.push(request)
      const output = { text: '', receivedBytes: 0, keptBytes: 0, isCut: false }
      const { cwd } = request
      return { exitCode: 0, signal: null, timedOut: false, cwd, output, confinement: 'none', refusals: [] }
    },
    start: () => Promise.reject(new Error('Background commands are not supported in this test.')),
    confinement: async () => ({ isAvailable: true, reason: 'a fake sandbox', byDefault: 'none' }),
  }
  runtime = createToolRuntime({ tools: [BashTool], cwd: '/', ports: { shell }, ...options })
  await runtime.run([{ type: 'tool_use', id: 'toolu_1', name, input: { command } }]).results
  const [request] = requests
  if (request === undefined) return 'refused'
  return request.isAllowedByRule === true ? 'by settings' : (request.confinement ?? 'by settings')
}

test.each<[rules: readonly string[], command: string, expected: string]>([
  [[], 'sleep 0', 'read-only'],
  [['Bash(sleep:*)'], 'sleep 0', 'by settings'],
  [['Bash(sleep 0)'], 'sleep 0', 'by settings'],
  [['Bash'], 'sleep 0', 'by settings'],
  [['Bash(seq:*)'], "seq -s ' ' 3", 'by settings'],
  [['Bash(touch:*)'], 'touch here', 'by settings'],
  // The rule covers a different program.
  [['Bash(ls:*)'], 'sleep 0', 'read-only'],
  // With shell syntax, whether the rule matches depends on Haft's analysis of the command.
  [['Bash(sleep:*)'], 'sleep 0; sleep 0', 'read-only'],
  [['Bash(sleep:*)'], 'sleep 0 && uptime', 'read-only'],
  [['Bash(sleep:*)'], 'sleep 0 </dev/null', 'read-only'],
  [['Bash(sleep:*)'], 'sleep $((1-1))', 'read-only'],
  [['Bash(seq:*)'], 'seq "$(echo 3)"', 'read-only'],
  [['Bash'], 'LC_ALL=C sleep 0', 'read-only'],
  // The configuration of a repository decides which programs git starts.
  [['Bash(git diff:*)'], 'git diff', 'read-only'],
  // If one program starts another, the match also depends on the analysis.
  [['Bash(sleep:*)'], "bash -c 'sleep 0 && uptime'", 'read-only'],
  [['Bash(sleep:*)'], "bash -c 'sleep 0'", 'read-only'],
  [['Bash'], "bash -c 'sleep 0 && uptime'", 'read-only'],
  [['Bash(sleep:*)'], 'timeout 5 sleep 0', 'read-only'],
  [['Bash(sleep:*)'], 'env A=1 sleep 0', 'read-only'],
  [['Bash(sleep:*)'], 'command sleep 0', 'read-only'],
  [['Bash(sleep:*)'], 'time sleep 0', 'read-only'],
])('under %j, %j runs with the confinement %s', async (allowRules, command, expected) => {
  expect(await findConfinement(command, { permissions: { allow: allowRules } })).toBe(expected)
})

test('a command allowed by the user or a mode, not by a rule, stays in the read-only sandbox', async () => {
  const permissions = { allow: ['Bash(sleep:*)'], ask: ['Bash(sleep:*)'] }
  expect(await findConfinement('sleep 0', { permissions })).toBe('refused')
  expect(await findConfinement('sleep 0', { permissions, ask: async () => ({ behavior: 'allow' }) })).toBe('read-only')
  expect(
    await findConfinement('sleep 0', { permissions: { mode: 'bypassPermissions' }, policy: { isSandboxed: true } }),
  ).toBe('read-only')
})

test('in plan mode only read-only commands run, whatever rules allow', async () => {
  expect(await findConfinement('sleep 0', { permissions: { mode: 'plan', allow: ['Bash(sleep:*)'] } })).toBe(
    'read-only',
  )
  expect(await findConfinement('touch here', { permissions: { mode: 'plan', allow: ['Bash(touch:*)'] } })).toBe(
    'refused',
  )
})

test('a rule for one tool does not cover a command of another tool', async () => {
  const outerTool = buildTool({
    name: 'Outer',
    needs: ['shell'],
    description: () => 'Runs a command through another tool',
    prompt: () => 'A tool for a test.',
    inputSchema: lazySchema(() => z.strictObject({ command: z.string() })),
    async call(input, context, canUseTool, parent) {
      const { data } = await BashTool.call(input, context, canUseTool as never, parent)
      return { data: data.output }
    },
  })
  const options = { tools: [outerTool, BashTool], permissions: { allow: ['Outer'] } }
  expect(await findConfinement('sleep 0', options, 'Outer')).toBe('read-only')
})

test('the confinement of a command that the user substitutes is decided for that command', async () => {
  const permissions = { allow: ['Bash(sleep:*)'], ask: ['Bash(uptime:*)'] }
  const replaceWith = (command: string) => async () => ({ behavior: 'allow', updatedInput: { command } }) as const
  expect(await findConfinement('uptime', { permissions, ask: replaceWith('sleep 0') })).toBe('by settings')
  expect(await findConfinement('uptime', { permissions, ask: replaceWith('uptime -p') })).toBe('read-only')
})
