import { expect, test } from 'vitest'
import { parseHookConfig } from '../../hooks/config/parse-hook-config.js'
import { createHookRunner } from '../../hooks/create-hook-runner.js'
import { joinHookLayers } from './open-tool-session.js'

const group = (command: string) => ({ matcher: '*', hooks: [{ type: 'command', command }] })

test('hooks of the highest source come last, so that their changes win', () => {
  const joinedHooks = joinHookLayers(
    [
      { source: 'policy', hooks: { PreToolUse: [group('policy')] } },
      { source: 'userSettings', hooks: { PreToolUse: [group('user')], Stop: [group('stop')] } },
    ],
    () => expect.unreachable(),
  )
  expect(joinedHooks).toEqual({ PreToolUse: [group('user'), group('policy')], Stop: [group('stop')] })
})

test('the input change of the policy wins, even if a lower source has the same hook', async () => {
  const hookOf = (source: string) => ({
    type: 'function',
    run: () => ({ hookSpecificOutput: { updatedInput: { source } } }),
  })
  const policyHook = hookOf('policy')
  const hooks = joinHookLayers(
    [
      { source: 'policy', hooks: { PreToolUse: [{ hooks: [policyHook] }] } },
      { source: 'projectSettings', hooks: { PreToolUse: [{ hooks: [hookOf('project')] }] } },
      { source: 'userSettings', hooks: { PreToolUse: [{ hooks: [policyHook, hookOf('user')] }] } },
    ],
    () => expect.unreachable(),
  )
  const runner = createHookRunner({
    config: parseHookConfig(hooks).config,
    session: () => ({ session_id: 's', transcript_path: '', cwd: '/', permission_mode: 'default' }),
    projectDir: '/',
    environment: {},
  })

  const outcome = await runner.run('PreToolUse', { tool_name: 'Bash', tool_input: {}, tool_use_id: 'u1' })

  expect(outcome.updatedInput).toEqual({ source: 'policy' })
})

test('problems are reported with their file, and valid hooks are kept', () => {
  const problems: string[] = []
  const joinedHooks = joinHookLayers(
    [
      {
        source: 'projectSettings',
        file: '/p/.haft/settings.json',
        hooks: { PreToolUs: [], PostToolUse: 5, Stop: [group('x')] },
      },
    ],
    (problem) => problems.push(problem),
  )
  expect(joinedHooks?.Stop).toEqual([group('x')])
  expect(problems).toEqual([
    '/p/.haft/settings.json: hooks.PreToolUs is not a hook event, so its hooks never run. Did you mean PreToolUse?',
    '/p/.haft/settings.json: hooks.PostToolUse must be a list of { matcher, hooks }',
  ])
})

test('joinHookLayers returns undefined if there are no hooks', () => {
  expect(joinHookLayers([], () => {})).toBeUndefined()
})
