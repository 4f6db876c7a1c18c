import { expect, test } from 'vitest'
import { resultLimits } from './result-limits.js'

test('a limit is found by name or alias, and an unknown tool has the default', () => {
  const limitOf = resultLimits([{ name: 'Bash', aliases: ['Shell'], maxResultSizeChars: 30_000 }])

  expect([limitOf('Bash'), limitOf('Shell'), limitOf('Gone'), limitOf(undefined)]).toEqual([
    30_000, 30_000, 50_000, 50_000,
  ])
})
