import { describe, expect, test } from 'vitest'
import type { Flag } from '../contract/build-flags.js'
import { ENVIRONMENT_FLAGS, RUNTIME_FLAGS } from '../contract/flags.js'
import { createPermissionContext } from '../contract/permission-context.js'
import { builtInTools } from '../testing/fixture-tools.js'
import { createAssembly } from './create-assembly.js'
import { readEnvironment } from './read-environment.js'

const flags: [string, Flag][] = Object.entries({ ...ENVIRONMENT_FLAGS, ...RUNTIME_FLAGS })

/** The pool where all else is as it is by default, so that only this flag can make a difference. */
function poolWith(variables: Record<string, string>): Set<string> {
  const { environment } = readEnvironment(variables, 'linux')
  const pool = createAssembly({ baseTools: builtInTools, env: environment }).assembleToolPool(
    createPermissionContext(),
    [],
  )
  return new Set(pool.map(({ name }) => name))
}

function difference(from: Set<string>, to: Set<string>) {
  return { gained: [...to].filter((name) => !from.has(name)), lost: [...from].filter((name) => !to.has(name)) }
}

/** What each flag does to the pool when it goes from off to on. */
test('every flag switches what its row says', () => {
  const switched = Object.fromEntries(
    flags.map(([name]) => [name, difference(poolWith({ [name]: '0' }), poolWith({ [name]: '1' }))]),
  )

  expect(switched).toMatchSnapshot()
})

describe('what a flag gains is what it adds', () => {
  test.each(flags.filter(([, { adds }]) => adds !== undefined))('%s', (name, flag) => {
    const { gained } = difference(poolWith({ [name]: '0' }), poolWith({ [name]: '1' }))
    const present = new Set(gained)
    // Coordinator mode adds SendMessage to pools without teams; by default teams have brought it already.
    const expected = name === 'HAFT_COORDINATOR_MODE' ? [] : flag.adds
    expect(expected?.filter((tool) => !present.has(tool))).toEqual([])
  })
})

test('coordinator mode brings SendMessage without teams', () => {
  expect(poolWith({ HAFT_COORDINATOR_MODE: '1', HAFT_AGENT_TEAMS: '0' }).has('SendMessage')).toBe(true)
})
