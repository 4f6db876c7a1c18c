import { describe, expect, test } from 'vitest'
import { analyseCommand } from '../analyse-command.js'
import { createAllSpecs } from './index.js'

const ALL_SPECS = createAllSpecs().flat()
const names = ALL_SPECS.flatMap((spec) => spec.names.split(' '))

test('each program is listed in one table only', () => {
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
})

const SPECS_WITH_EXAMPLES = ALL_SPECS.filter(({ examples }) => examples.length > 0)

describe.each(SPECS_WITH_EXAMPLES)('$names', ({ examples }) => {
  test.each(examples)('%s is read-only', (example) => {
    expect(analyseCommand(example, { cwd: '/home/dev/project' }).isReadOnly).toBe(true)
  })
})
