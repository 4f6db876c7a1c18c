import assert from 'node:assert/strict'
import { buildTool, createToolRuntime, type ToolUseBlock } from 'haft'
import type { HookSettings } from 'haft/hooks'
import * as z from 'zod'

const Deploy = buildTool({
  name: 'Deploy',
  description: 'Deploys to an environment',
  inputSchema: z.object({ to: z.string() }),
  outputSchema: z.string(),
  preparePermissionMatcher:
    ({ to }) =>
    (pattern) =>
      pattern === to,
  call: async ({ to }) => ({ data: `deployed to ${to} with token 12345` }),
})

/** Hooks of kind `function` run in process; commands, HTTP and the others are written as in a settings file. */
const hooks: HookSettings = {
  PostToolUse: [
    {
      matcher: 'Deploy',
      hooks: [
        {
          type: 'function',
          run: ({ tool_response }) => ({
            hookSpecificOutput: {
              hookEventName: 'PostToolUse',
              updatedToolOutput: String(tool_response).replace(/\d{5}/, '*****'),
            },
          }),
        },
      ],
    },
  ],
}

const askedTargets: string[] = []
const runtime = createToolRuntime({
  tools: [Deploy],
  permissions: { deny: ['Deploy(production)'] },
  hooks,
  // Answers permission questions in place of the user. `suggestions` are the rules that would make the question unnecessary.
  async ask({ input, suggestions }) {
    askedTargets.push(String(input.to))
    return input.to === 'staging'
      ? { behavior: 'allow', updates: suggestions }
      : { behavior: 'deny', message: 'Not now.' }
  },
})

let calls = 0
const createDeployCall = (to: string): ToolUseBlock => ({
  type: 'tool_use',
  id: `call_${calls++}`,
  name: 'Deploy',
  input: { to },
})
const runDeployCalls = async (...targets: string[]) =>
  (await runtime.run(targets.map(createDeployCall)).results).map(({ content }) => content)

const firstResults = await runDeployCalls('production', 'staging')
const secondResults = await runDeployCalls('test')
await runtime.dispose()

console.log(firstResults, secondResults, askedTargets)
assert.match(String(firstResults[0]), /Deploy\(production\).*denies this call/)
assert.equal(firstResults[1], 'deployed to staging with token *****')
// The answer added a rule that allows Deploy, so there is no second question. The deny rule still applies.
assert.equal(secondResults[0], 'deployed to test with token *****')
assert.deepEqual(askedTargets, ['staging'])
