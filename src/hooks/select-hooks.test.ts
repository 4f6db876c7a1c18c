import { expect, test } from 'vitest'
import { parseHookConfig } from './config/parse-hook-config.js'
import { removeDuplicateHooks } from './select-hooks.js'

function listDistinctSettings(...hooks: readonly object[]) {
  const commandHooks = hooks.map((hook) => ({ type: 'command', ...hook }))
  return removeDuplicateHooks(parseHookConfig({ Stop: [{ hooks: commandHooks }] }).config.Stop ?? []).map(
    ({ label, hook }) => ({
      label,
      async: hook.async,
      timeoutMs: hook.timeoutMs,
    }),
  )
}

test.each([
  [1, 90],
  [90, 1],
])('duplicate hooks with time limits of %d s and %d s run with the longer limit', (first, second) => {
  expect(listDistinctSettings({ command: 'a', timeout: first }, { command: 'a', timeout: second })).toEqual([
    { label: 'command a', async: false, timeoutMs: 90_000 },
  ])
})

test('duplicate hooks run once, at the position of the last one', () => {
  expect(listDistinctSettings({ command: 'a' }, { command: 'b' }, { command: 'a' }).map(({ label }) => label)).toEqual([
    'command b',
    'command a',
  ])
})

test('the duplicate without async is kept', () => {
  const awaitedHooks = [{ label: 'command a', async: false, timeoutMs: 60_000 }]

  expect(listDistinctSettings({ command: 'a', async: true }, { command: 'a' })).toEqual(awaitedHooks)
  expect(listDistinctSettings({ command: 'a' }, { command: 'a', async: true })).toEqual(awaitedHooks)
})
