import { expect, test } from 'vitest'
import { joinHookLayers } from './join-hook-layers.js'

const group = (command: string) => ({ matcher: '*', hooks: [{ type: 'command', command }] })

test('the hooks of the highest source come last, so that their changes win', () => {
  const joined = joinHookLayers(
    [
      { source: 'policy', hooks: { PreToolUse: [group('policy')] } },
      { source: 'userSettings', hooks: { PreToolUse: [group('user')], Stop: [group('stop')] } },
    ],
    () => expect.unreachable(),
  )
  expect(joined).toEqual({ PreToolUse: [group('user'), group('policy')], Stop: [group('stop')] })
})

test('what is wrong is told with its file, and what is right is kept', () => {
  const problems: string[] = []
  const joined = joinHookLayers(
    [
      {
        source: 'projectSettings',
        file: '/p/.haft/settings.json',
        hooks: { PreToolUs: [], PostToolUse: 5, Stop: [group('x')] },
      },
    ],
    (problem) => problems.push(problem),
  )
  expect(joined?.Stop).toEqual([group('x')])
  expect(problems).toEqual([
    '/p/.haft/settings.json: hooks.PreToolUs is no event, so its hooks never run. Did you mean PreToolUse?',
    '/p/.haft/settings.json: hooks.PostToolUse must be a list of { matcher, hooks }',
  ])
})

test('no hooks are no setting', () => {
  expect(joinHookLayers([], () => {})).toBeUndefined()
})
