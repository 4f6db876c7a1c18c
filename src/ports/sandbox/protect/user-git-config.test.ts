import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect } from 'vitest'
import { testWithProgram } from '../../../testing/test-with-program.js'
import { SandboxFixture } from '../fixture-sandbox.js'
import { findUserGitConfig, listNamedAround } from './git-control.js'

const test = testWithProgram('bwrap', 'bubblewrap')

let fixture: SandboxFixture
let ran: string
beforeEach(() => {
  fixture = new SandboxFixture()
  ran = join(fixture.root, 'ran')
})
afterEach(() => fixture.remove())

const identity = { GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@b', GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@b' }

function git(variables: Readonly<Record<string, string>>, ...args: readonly string[]): void {
  const env = { PATH: process.env.PATH, ...identity, HOME: fixture.home, GIT_CONFIG_NOSYSTEM: '1', ...variables }
  execFileSync('git', args, { cwd: fixture.project, env, stdio: 'pipe' })
}

function put(path: string, content: string): string {
  const file = join(fixture.root, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, content)
  return file
}

const HOOKS = '[core]\n\thooksPath = myhooks\n'
const PLACES: Readonly<Record<string, () => Record<string, string>>> = {
  '$XDG_CONFIG_HOME/git/config': () => ({ XDG_CONFIG_HOME: dirname(dirname(put('xdg/git/config', HOOKS))) }),
  $GIT_CONFIG_GLOBAL: () => ({ GIT_CONFIG_GLOBAL: put('global', HOOKS) }),
  $GIT_CONFIG_SYSTEM: () => ({ GIT_CONFIG_SYSTEM: put('system', HOOKS), GIT_CONFIG_NOSYSTEM: '0' }),
  'a conditional include of $GIT_CONFIG_GLOBAL': () => {
    put('inner', HOOKS)
    return { GIT_CONFIG_GLOBAL: put('global', '[includeIf "gitdir:**"]\n\tpath = inner\n') }
  },
  $GIT_CONFIG_KEY_0: () => ({
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'core.hooksPath',
    GIT_CONFIG_VALUE_0: 'myhooks',
  }),
}

for (const [place, createVariables] of Object.entries(PLACES)) {
  test(`a command cannot create hooks in a folder that is named in ${place}`, async () => {
    const variables = createVariables()
    git({}, 'init', '-q')
    const sandbox = fixture.openSandbox({}, { userGitConfig: findUserGitConfig(fixture.home, variables) })

    await fixture.run(
      sandbox,
      `mkdir -p myhooks; printf '#!/bin/sh\\ntouch ${ran}\\n' > myhooks/pre-commit; chmod +x myhooks/pre-commit`,
    )

    git(variables, 'commit', '-q', '--allow-empty', '-m', 'next')
    expect(existsSync(ran)).toBe(false)
    expect(listNamedAround(join(fixture.project, 'x'), findUserGitConfig(fixture.home, variables))).toContain(
      join(fixture.project, 'myhooks'),
    )
  })
}

test("a command can neither change nor create the user's configuration in the working folder", async () => {
  for (const content of ['[user]\n', undefined]) {
    const config = join(fixture.project, `git-settings-${content === undefined}`)
    if (content !== undefined) writeFileSync(config, content)
    const sandbox = fixture.openSandbox(
      {},
      { userGitConfig: findUserGitConfig(fixture.home, { GIT_CONFIG_GLOBAL: config }) },
    )

    const { output } = await fixture.run(sandbox, `echo '[core]' > ${config}`)

    expect(output).toMatch(/Read-only file system/)
    expect(existsSync(config)).toBe(content !== undefined)
  }
})
