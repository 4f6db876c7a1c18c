import { describe, expect, test } from 'vitest'
import type { Flag } from '../contract/build-flags.js'
import { ENVIRONMENT_FLAGS, RUNTIME_FLAGS } from '../contract/flags.js'
import { createPermissionContext } from '../contract/permission/context.js'
import { builtInTools } from '../testing/fixture-tools.js'
import { createAssembly } from './create-assembly.js'
import { readEnvironment } from './read-environment.js'

const flags: [string, Flag][] = Object.entries({ ...ENVIRONMENT_FLAGS, ...RUNTIME_FLAGS })

/** Assembles the pool with these variables and all other flags at their defaults. */
function listPoolNames(variables: Record<string, string>): Set<string> {
  const { environment } = readEnvironment(variables, 'linux')
  const pool = createAssembly({ baseTools: builtInTools, env: environment }).assembleToolPool(
    createPermissionContext(),
    [],
  )
  return new Set(pool.map(({ name }) => name))
}

function computeDifference(from: Set<string>, to: Set<string>) {
  return { gained: [...to].filter((name) => !from.has(name)), lost: [...from].filter((name) => !to.has(name)) }
}

test('switching a flag on adds and removes the tools in the snapshot', () => {
  const effects = Object.fromEntries(
    flags.map(([name]) => [name, computeDifference(listPoolNames({ [name]: '0' }), listPoolNames({ [name]: '1' }))]),
  )

  expect(effects).toMatchSnapshot()
})

describe('switching a flag on adds and removes exactly the tools that its definition lists', () => {
  // Modes hide tools by other rules, which the snapshot of the test above covers.
  const modeFlags = ['HAFT_SIMPLE', 'HAFT_COORDINATOR_MODE', 'HAFT_REPL_MODE', 'HAFT_INTERNAL']
  test.each(flags.filter(([name]) => !modeFlags.includes(name)))(
    'for %s',
    (name, { adds = [], removes = [], replaces = [] }) => {
      const { gained, lost } = computeDifference(listPoolNames({ [name]: '0' }), listPoolNames({ [name]: '1' }))
      expect({ gained: gained.sort(), lost: lost.sort() }).toEqual({
        gained: [...adds].sort(),
        lost: [...removes, ...replaces].sort(),
      })
    },
  )
})

test('coordinator mode adds SendMessage without teams', () => {
  expect(listPoolNames({ HAFT_COORDINATOR_MODE: '1', HAFT_AGENT_TEAMS: '0' }).has('SendMessage')).toBe(true)
})
