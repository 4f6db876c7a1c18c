import { test } from 'vitest'
import { findProgram } from '../system/find-program.js'

export type NamedTest = (name: string, run: () => unknown) => void

/**
 * Declares a test that runs an external program. If the program is missing, the test is skipped and its name says what to
 * install. With HAFT_REQUIRE_PROGRAMS set, as in CI, the test fails instead, so that no test is skipped unnoticed. A test of
 * several programs passes the result for one of them as `testWhenFound` of the next.
 */
export function testWithProgram(program: string, debianPackage = program, testWhenFound: NamedTest = test): NamedTest {
  if (findProgram(program, process.env) !== undefined) return testWhenFound
  const advice = `[needs ${program}: apt-get install ${debianPackage}]`
  const testWithoutProgram: NamedTest = (name) =>
    process.env.HAFT_REQUIRE_PROGRAMS
      ? test(`${name} ${advice}`, () => {
          throw new Error(`${program} is not installed: apt-get install ${debianPackage}`)
        })
      : test.skip(`${name} ${advice}`)
  return testWithoutProgram
}
