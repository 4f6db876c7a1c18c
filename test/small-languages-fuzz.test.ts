import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, vi } from 'vitest'
import { analyseCommand } from '../src/shell/analyse-command.js'
import { checkAwk } from '../src/shell/programs/scripts/check-awk.js'
import { checkJq } from '../src/shell/programs/scripts/check-jq.js'
import { checkSed } from '../src/shell/programs/scripts/check-sed.js'
import type { ScriptVerdict } from '../src/shell/programs/scripts/script-verdict.js'
import { testWithProgram } from '../src/testing/test-with-program.js'
import { createRandom, generateScript, type ScriptLanguage } from './lib/generate-scripts.js'
import { findLinesWithEffects, quote } from './lib/run-scripts.js'

const SEED = Number(
  process.env.HAFT_FUZZ_SEED ??
    (process.env.HAFT_LONG_TESTS === undefined ? 20_261_117 : Math.floor(Math.random() * 1e9)),
)
const SCRIPT_COUNT = process.env.HAFT_LONG_TESTS === undefined ? 500 : Number(process.env.HAFT_FUZZ_COUNT ?? 50_000)
const BATCH_SIZE = 1_000

vi.setConfig({ testTimeout: 7_200_000 })

let folder = ''
beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'haft-small-languages-')))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const isHarmless = ({ problem, writes }: ScriptVerdict) => problem === undefined && writes.length === 0
const isReadOnly = (command: string) => analyseCommand(command, { cwd: '/tmp' }).isReadOnly
const matchPrograms = (names: string) => new RegExp(`execve\\("/(?:usr/)?bin/(?:${names})"`)

interface FuzzedLanguage {
  readonly program: string
  /** Whether the analysis says that the script has no effects. */
  readonly accepts: (script: string) => boolean
  /** The lines that run an accepted script with every implementation. */
  readonly createLines: (script: string) => readonly string[]
  readonly allowedPrograms: RegExp
}

const LANGUAGES: Readonly<Record<ScriptLanguage, FuzzedLanguage>> = {
  sed: {
    program: 'sed',
    accepts: (script) => isHarmless(checkSed(script)),
    createLines: (script) => ['', '-n --posix', '-E -z'].map((options) => `sed ${options} -e ${quote(script)} in.txt`),
    allowedPrograms: matchPrograms('sed'),
  },
  awk: {
    program: 'original-awk',
    accepts: (script) => isHarmless(checkAwk(script)),
    createLines: (script) =>
      ['mawk', 'gawk', 'gawk --posix', 'gawk --traditional', 'original-awk'].map(
        (program) => `${program} ${quote(script)} in.txt`,
      ),
    allowedPrograms: matchPrograms('mawk|gawk|original-awk'),
  },
  jq: {
    program: 'jq',
    accepts: (script) => isHarmless(checkJq(script)),
    // A script that reads a module or the environment prints a text that starts with `SECRET-`.
    createLines: (script) => [`jq -L . ${quote(script)} in.json | grep -ao 'SECRET-[a-z]*' >&3`],
    allowedPrograms: matchPrograms('jq|grep'),
  },
  printf: {
    program: 'bash',
    accepts: (script) => isReadOnly(`printf ${quote(script)} A B C`),
    createLines: (script) => [
      `printf ${quote(script)} A B C; [ "$A$B$C" = valuevaluevalue ] || echo ${quote(script)} >&3`,
    ],
    allowedPrograms: /(?!)/,
  },
  find: {
    program: 'find',
    accepts: (script) => isReadOnly(`find ${script}`),
    createLines: (script) => [`find ${script}`],
    allowedPrograms: matchPrograms('find|cat|grep|wc'),
  },
}

testWithProgram('strace')('the observer reports exactly the lines with effects', () => {
  const effects = findLinesWithEffects(
    ['true', 'touch P', 'true', 'mawk \'BEGIN {print > "P"}\''],
    folder,
    matchPrograms('mawk'),
  )

  expect(effects.map(({ line }) => line)).toEqual(['touch P', 'mawk \'BEGIN {print > "P"}\''])
})

describe.each(Object.entries(LANGUAGES))('%s', (language, { program, accepts, createLines, allowedPrograms }) => {
  testWithProgram(program)(`accepted programs have no effects (seed ${SEED}, ${SCRIPT_COUNT} programs)`, () => {
    const random = createRandom(SEED)
    let acceptedCount = 0
    for (let doneCount = 0; doneCount < SCRIPT_COUNT; doneCount += BATCH_SIZE) {
      const count = Math.min(BATCH_SIZE, SCRIPT_COUNT - doneCount)
      const scripts = Array.from({ length: count }, () => generateScript(language as ScriptLanguage, random))
      const acceptedScripts = scripts.filter(accepts)
      acceptedCount += acceptedScripts.length
      expect(findLinesWithEffects(acceptedScripts.flatMap(createLines), folder, allowedPrograms)).toEqual([])
    }
    // A grammar that accepts almost nothing would prove nothing.
    expect(acceptedCount).toBeGreaterThan(SCRIPT_COUNT / 50)
    if (process.env.HAFT_LONG_TESTS !== undefined)
      console.info(`${language}: ${SCRIPT_COUNT} programs, ${acceptedCount} accepted`)
  })
})
