import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createAllSpecs } from '../src/shell/families/index.js'
import { testWithProgram } from '../src/testing/test-with-program.js'
import { observeCommands } from './lib/observe-commands.js'
import { makeObservedFixture, takeSnapshot } from './lib/observed-fixture.js'

const COMMAND_NOT_FOUND = 127
const canSkipMissing = process.env.HAFT_REQUIRE_PROGRAMS === undefined
const OBSERVED_SPECS = createAllSpecs()
  .map((specs) => specs.filter(({ isObserved }) => isObserved === true))
  .filter((specs) => specs.length > 0)
  .map((specs) => ({ firstNames: specs[0]?.names, examples: specs.flatMap((spec) => spec.examples) }))
let folder = ''
const createFolders = () => ({
  workFolder: join(folder, 'work'),
  home: join(folder, 'home'),
  traceFolder: join(folder, 'trace'),
})

beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'haft-observed-')))
  for (const path of Object.values(createFolders())) mkdirSync(path)
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('every table entry cites a manual page, and every observed entry has examples', () => {
  const entriesWithoutEvidence = createAllSpecs()
    .flat()
    .filter(({ isObserved, examples, manual }) => manual === '' || (isObserved === true && examples.length === 0))
  expect(entriesWithoutEvidence.map(({ names }) => names)).toEqual([])
})

testWithProgram('strace')('the observer detects the effects of a command', () => {
  makeObservedFixture(createFolders().workFolder)
  const observations = observeCommands(
    ['true', 'touch new', './evil.sh', 'cat a.txt > out', 'no-such-program'],
    createFolders(),
  )

  expect(observations.map(({ violations }) => violations.length > 0)).toEqual([false, true, true, true, false])
  expect(observations.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0, 0, COMMAND_NOT_FOUND])
})

testWithProgram('strace')('--help and --version of observed programs have no effects, whatever their input is', () => {
  const { workFolder } = createFolders()
  rmSync(workFolder, { recursive: true, force: true })
  mkdirSync(workFolder)
  makeObservedFixture(workFolder)
  const names = createAllSpecs()
    .flat()
    .filter(({ isObserved, hasObservedHelp }) => hasObservedHelp ?? isObserved === true)
    .flatMap((spec) => spec.names.split(' '))
    // Builtins write their help into the shell itself, and `exit` ends it.
    .filter((name) => /^[a-z0-9+-]+$/i.test(name))
  const commands = names.flatMap((name) => [`${name} --help < README.md`, `${name} --version < README.md`])

  const observations = observeCommands(commands, createFolders())

  expect(observations.filter(({ violations }) => violations.length > 0)).toEqual([])
})

describe.each(OBSERVED_SPECS)('the table of $firstNames', ({ examples }) => {
  testWithProgram('strace')(
    'has examples that change nothing, open no connection and run no program from the folder',
    () => {
      const { workFolder, home } = createFolders()
      rmSync(workFolder, { recursive: true, force: true })
      mkdirSync(workFolder)
      makeObservedFixture(workFolder)
      const snapshotsBefore = [takeSnapshot(workFolder), takeSnapshot(home)]

      const observations = observeCommands(examples, createFolders())

      const violatingObservations = observations.filter(
        ({ exitCode, violations }) => violations.length > 0 || (exitCode === COMMAND_NOT_FOUND && !canSkipMissing),
      )
      expect(violatingObservations).toEqual([])
      expect([takeSnapshot(workFolder), takeSnapshot(home)]).toEqual(snapshotsBefore)
    },
  )
})
