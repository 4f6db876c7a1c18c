import { expect, test } from 'vitest'
import { parseHookConfig } from '../config/parse-hook-config.js'
import { createHookRunner } from '../create-hook-runner.js'

test('a hook that throws a value without a message fails with a default message', async () => {
  const run = () => {
    throw Object.create(null)
  }
  const { config } = parseHookConfig({ PreToolUse: [{ hooks: [{ type: 'function', name: 'odd', run }] }] })
  const session = () => ({ session_id: 's', transcript_path: 't', cwd: '/', permission_mode: 'default' as const })
  const runner = createHookRunner({ config, session, projectDir: '/', environment: {} })

  const { reports } = await runner.run('PreToolUse', { tool_name: 'Bash', tool_input: {}, tool_use_id: 'u1' })

  expect(reports).toEqual([
    {
      hookEvent: 'PreToolUse',
      hook: 'function odd',
      outcome: 'failed',
      message: 'It threw an error without a message.',
      forUser: 'The PreToolUse hook function odd failed: It threw an error without a message.',
    },
  ])
})
