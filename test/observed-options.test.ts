import { accessSync, constants, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { analyseCommand } from '../src/shell/analyse-command.js'
import { createAllSpecs } from '../src/shell/families/index.js'
import { findCoreUse } from '../src/shell/programs/audited-core.js'
import { readPlainScript } from '../src/shell/programs/plain-script.js'
import { testWithProgram } from '../src/testing/test-with-program.js'
import { generateInvocations, type Invocation } from './lib/generate-invocations.js'
import { createRandom } from './lib/generate-scripts.js'
import { type Observation, observeCommands } from './lib/observe-commands.js'
import { makeObservedFixture, takeSnapshot } from './lib/observed-fixture.js'

/**
 * Runs the options that the tables accept: a sample, or all of them with HAFT_LONG_TESTS, which takes about half an hour.
 * HAFT_OBSERVED_PROGRAMS limits the programs, and HAFT_OBSERVED_REPORT names a file for all observations.
 */
/** The same sample in every run, so that failures can be reproduced. Another seed or HAFT_LONG_TESTS covers more. */
const SEED = Number(process.env.HAFT_FUZZ_SEED ?? 4711)
const INVOCATION_COUNT = process.env.HAFT_LONG_TESTS === undefined ? 250 : Number.POSITIVE_INFINITY
const CHOSEN_PROGRAMS = process.env.HAFT_OBSERVED_PROGRAMS?.split(' ')
const REPORT_PATH = process.env.HAFT_OBSERVED_REPORT
const BATCH_SIZE = 250
/** Some commands wait for more input or print endlessly. */
const MAX_SECONDS = 1
const SAMPLE_PATHS = { insideFile: 'README.md', insideFolder: 'src', outsideFile: '../hidden/file.txt' }
const PROGRAM_FOLDERS = '/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin'.split(':')

vi.setConfig({ testTimeout: 7_200_000 })

let folder = ''
const createFolders = () => ({
  workFolder: join(folder, 'work'),
  home: join(folder, 'home'),
  traceFolder: join(folder, 'trace'),
  hiddenFolder: join(folder, 'hidden'),
})
const INVOCATIONS = createAllSpecs()
  .flat()
  .flatMap((spec) => generateInvocations(spec, SAMPLE_PATHS))

beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'haft-options-')))
  for (const path of Object.values(createFolders())) mkdirSync(path)
  writeFileSync(join(createFolders().hiddenFolder, 'file.txt'), 'hidden\n')
  makeObservedFixture(createFolders().workFolder)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

testWithProgram('strace')('the observer detects hidden files that a command opens as operands or by options', () => {
  const commands = ['cat ../hidden/file.txt', 'cat README.md', 'sort --files0-from=../hidden/file.txt', 'wc --total=1']

  const observations = observeCommands(commands, createFolders())

  expect(observations.map(({ violations }) => violations.length > 0)).toEqual([true, false, true, false])
})

testWithProgram('strace')('no accepted option has an effect or opens a file that the analysis does not know', () => {
  const chosenInvocations = INVOCATIONS.filter(({ program }) => CHOSEN_PROGRAMS?.includes(program) ?? true)
  const installedInvocations = chosenInvocations.filter(({ program }) => isInstalled(program))
  const acceptedInvocations = drawFrom(installedInvocations).filter(({ command }) => isAllowed(command))
  const { workFolder, home, hiddenFolder } = createFolders()
  const takeSnapshots = () => [workFolder, home, hiddenFolder].map(takeSnapshot)
  const snapshotsBefore = takeSnapshots()

  const observations: Observation[] = []
  for (let at = 0; at < acceptedInvocations.length; at += BATCH_SIZE) {
    const commands = acceptedInvocations.slice(at, at + BATCH_SIZE).map(({ command }) => command)
    observations.push(...observeCommands(commands, createFolders(), MAX_SECONDS))
    if (REPORT_PATH !== undefined) writeFileSync(REPORT_PATH, JSON.stringify(observations, undefined, 1))
  }

  if (INVOCATION_COUNT === Number.POSITIVE_INFINITY) describeRun(chosenInvocations, observations)
  const violatingObservations = observations.map(removeExpected).filter(({ violations }) => violations.length > 0)
  expect(violatingObservations, `seed ${SEED}`).toEqual([])
  expect(takeSnapshots()).toEqual(snapshotsBefore)
})

test('no program that writes temporary files is in the audited core, which may run without a sandbox', () => {
  const commands = INVOCATIONS.map(({ command }) => command).filter((command) => isTemporaryWriter(command))

  expect(commands.length).toBeGreaterThan(5)
  expect(commands.filter((command) => isInCore(command))).toEqual([])
})

function isInCore(command: string): boolean {
  return readPlainScript(command)?.every(({ words }) => findCoreUse(words) !== undefined) === true
}

/** Prints what was run, and which programs were skipped because they are not installed. */
function describeRun(chosenInvocations: readonly Invocation[], observations: readonly Observation[]): void {
  const names = [...new Set(chosenInvocations.map(({ program }) => program))]
  const missingPrograms = names.filter((name) => !isInstalled(name))
  console.log(`${names.length - missingPrograms.length} programs, ${observations.length} commands`)
  console.log(`Not installed, so not observed: ${missingPrograms.join(' ')}`)
}

function drawFrom(invocations: readonly Invocation[]): readonly Invocation[] {
  if (invocations.length <= INVOCATION_COUNT) return invocations
  const random = createRandom(SEED)
  return Array.from({ length: INVOCATION_COUNT }, () => invocations[Math.floor(random() * invocations.length)]).filter(
    (each) => each !== undefined,
  )
}

/** Commands that update file times in the index. It is only a cache, and it cannot be written in the sandbox. */
const REFRESHES_INDEX = /\bgit describe .*--(?:dirty|broken)/

/** Whether the command runs without a question: it is read-only, and every file that it is known to read is in the project. */
function isAllowed(command: string): boolean {
  const { isReadOnly, commands } = analyseCommand(command, { cwd: createFolders().workFolder })
  if (REFRESHES_INDEX.test(command)) return false
  return isReadOnly && !commands.some(({ reads }) => reads.some((path) => path.includes('hidden')))
}

/** Programs that need a file of their own in the temporary folder, which is private in the sandbox. */
function isTemporaryWriter(command: string): boolean {
  return /^(?:cat \S+ \| (?:tac|javac?|apt-cache)|javac?|apt-cache)\b/.test(command)
}

function removeExpected(observation: Observation): Observation {
  // If it has write access, man stores formatted pages in a cache of the system.
  const expected = isTemporaryWriter(observation.command)
    ? /["<]\/tmp\/(?:tac|hsperfdata_)|O_TMPFILE/
    : /"\/var\/cache\/man\//
  return { ...observation, violations: observation.violations.filter((line) => !expected.test(line)) }
}

function isInstalled(program: string): boolean {
  return PROGRAM_FOLDERS.some((programFolder) => {
    try {
      accessSync(join(programFolder, program), constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}
