import { test } from 'vitest'
import { findProgram } from '../system/find-program.js'

export type NamedTest = (name: string, run: () => unknown) => void

/**
 * A test that drives a program. Where the program is missing the test is skipped by a name that tells what to install;
 * with HAFT_REQUIRE_PROGRAMS set, as in CI, it fails instead, so that nothing is skipped unseen.
 */
export function testWithProgram(program: string, debianPackage = program): NamedTest {
  if (findProgram(program, process.env) !== undefined) return test
  const advice = `[needs ${program}: apt-get install ${debianPackage}]`
  const missing: NamedTest = (name) =>
    process.env.HAFT_REQUIRE_PROGRAMS
      ? test(`${name} ${advice}`, () => {
          throw new Error(`${program} is not installed: apt-get install ${debianPackage}`)
        })
      : test.skip(`${name} ${advice}`)
  return missing
}
