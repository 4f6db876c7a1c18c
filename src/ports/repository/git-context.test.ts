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
let pristine = ''

beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'haft-git-context-')))
  pristine = join(folder, 'pristine')
  mkdirSync(pristine)
  makeGitFixture(pristine)
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe.each(context.setups)('after the setup `$setup`,', ({ setup, executes, asksToo = [] }) => {
  testWithGit('only the commands that run a program, and those listed in `asksToo`, are not read-only', async () => {
    const repository = prepare('predict', setup)
    const facts = await createRepositoryProbe(GIT_TEST_ENVIRONMENT).facts(repository)
    const repositories = new Map([[repository, facts]])

    const predicted = context.commands.filter(
      (command) => !analyseCommand(command, { cwd: repository, repositories }).isReadOnly,
    )

    const expected = context.commands.filter((command) => [...executes, ...asksToo].includes(command))
    expect(predicted).toEqual(expected)
  })

  // Every command that runs a program, and two commands that do not.
  const sample = [...executes, ...context.commands.filter((command) => !executes.includes(command)).slice(0, 2)]
  testWithGit('git runs the program for exactly the commands in `executes`', () => {
    const executed = sample.filter((command) => {
      const repository = prepare('run', setup)
      const mark = join(folder, 'mark')
      rmSync(mark, { force: true })
      const env = { ...GIT_TEST_ENVIRONMENT, HAFT_MARK: mark }
      execFileSync('bash', ['-c', `${command} >/dev/null 2>&1 </dev/null; true`], { cwd: repository, env })
      return existsSync(mark)
    })

    expect(executed).toEqual(executes)
  })
})

/** Copies the repository, so that inodes differ from those in the index, as they do after any move. */
function prepare(name: string, setup: string): string {
  const repository = join(folder, name)
  rmSync(repository, { recursive: true, force: true })
  cpSync(pristine, repository, { recursive: true, preserveTimestamps: true })
  const script = setup.replaceAll('/home/dev/proj', repository)
  execFileSync('bash', ['-c', script], { cwd: repository, env: GIT_TEST_ENVIRONMENT })
  return repository
}
