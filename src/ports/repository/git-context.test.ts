import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { analyseCommand } from '../../shell/analyse-command.js'
import { GIT_TEST_ENVIRONMENT, makeGitFixture } from '../../testing/files/git-fixture.js'
import { testWithProgram } from '../../testing/test-with-program.js'
import { createRepositoryProbe } from './create-repository-probe.js'
import context from './git-context.fixture.json' with { type: 'json' }

const testWithGit = testWithProgram('git')
let folder = ''
let pristineFolder = ''

beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'haft-git-context-')))
  pristineFolder = join(folder, 'pristine')
  mkdirSync(pristineFolder)
  makeGitFixture(pristineFolder)
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe.each(context.setups)('after the setup `$setup`,', ({ setup, executes, asksToo = [] }) => {
  testWithGit('only the commands that run a program, and those listed in `asksToo`, are not read-only', async () => {
    const repository = prepareRepository('predict', setup)
    const facts = await createRepositoryProbe(GIT_TEST_ENVIRONMENT).facts(repository)
    const repositories = new Map([[repository, facts]])

    const predictedCommands = context.commands.filter(
      (command) => !analyseCommand(command, { cwd: repository, repositories }).isReadOnly,
    )

    const expected = context.commands.filter((command) => [...executes, ...asksToo].includes(command))
    expect(predictedCommands).toEqual(expected)
  })

  // Every command that runs a program, and two commands that do not.
  const sample = [...executes, ...context.commands.filter((command) => !executes.includes(command)).slice(0, 2)]
  testWithGit('git runs the program for exactly the commands in `executes`', () => {
    const executedCommands = sample.filter((command) => {
      const repository = prepareRepository('run', setup)
      const markFile = join(folder, 'mark')
      rmSync(markFile, { force: true })
      const env = { ...GIT_TEST_ENVIRONMENT, HAFT_MARK: markFile }
      execFileSync('bash', ['-c', `${command} >/dev/null 2>&1 </dev/null; true`], { cwd: repository, env })
      return existsSync(markFile)
    })

    expect(executedCommands).toEqual(executes)
  })
})

/** Copies the repository, so that inodes differ from those in the index, as they do after any move. */
function prepareRepository(name: string, setup: string): string {
  const repository = join(folder, name)
  rmSync(repository, { recursive: true, force: true })
  cpSync(pristineFolder, repository, { recursive: true, preserveTimestamps: true })
  const script = setup.replaceAll('/home/dev/proj', repository)
  execFileSync('bash', ['-c', script], { cwd: repository, env: GIT_TEST_ENVIRONMENT })
  return repository
}
