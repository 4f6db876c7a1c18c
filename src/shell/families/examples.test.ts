import { describe, expect, test } from 'vitest'
import { analyseCommand } from '../analyse-command.js'
import { FAMILIES } from './index.js'

const SPECS = FAMILIES.flat()
const names = SPECS.flatMap((spec) => spec.names.split(' '))

test('each program is listed in one table only', () => {
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
})

const WITH_EXAMPLES = SPECS.filter(({ examples }) => examples.length > 0)

describe.each(WITH_EXAMPLES)('$names', ({ examples }) => {
  test.each(examples)('%s is read-only', (example) => {
    expect(analyseCommand(example, { cwd: '/home/dev/project' }).isReadOnly).toBe(true)
  })
})
