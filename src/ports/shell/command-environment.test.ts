import { expect, test } from 'vitest'
import { createCommandEnvironment } from './command-environment.js'

const basicOptions = { cwd: '/project', mark: { HAFT_MARK: 'm.1;' } }

test('a command inherits no host variables that would start pagers, prompt or change the command', () => {
  const host = {
    HOME: '/home/a',
    EMPTY: '',
    NONE: undefined,
    PAGER: 'less',
    EDITOR: 'vim',
    BASH_ENV: '/rc',
    'BASH_FUNC_git%%': '() { :; }',
    CDPATH: '/',
    PWD: '/elsewhere',
  }

  const environment = createCommandEnvironment({ ...basicOptions, host })

  expect(environment).toMatchObject({ HOME: '/home/a', EMPTY: '', PAGER: 'cat', EDITOR: 'false', PWD: '/project' })
  for (const name of ['NONE', 'BASH_ENV', 'BASH_FUNC_git%%', 'CDPATH', 'CI'])
    expect(environment).not.toHaveProperty(name)
})

test('variables of the call override those of the host, except for the mark of the process tree', () => {
  const requestedVariables = { PAGER: 'more', HAFT_MARK: 'none' }

  expect(createCommandEnvironment({ ...basicOptions, host: {}, requestedVariables })).toMatchObject({
    PAGER: 'more',
    HAFT_MARK: 'm.1;',
  })
})

test('a command that runs without approval inherits only variables that name no program and hold no secret', () => {
  const basicVariables = { HOME: '/home/a', PATH: '/usr/bin', LC_ALL: 'C', GIT_DIR: '/project/.git' }
  const otherVariables = {
    RIPGREP_CONFIG_PATH: 'rgrc',
    LESSOPEN: '|./a %s',
    TAR_OPTIONS: '--to-command=./a',
    GREP: './a',
    GIT_EXTERNAL_DIFF: './a',
    NODE_OPTIONS: '--require ./a',
    LD_PRELOAD: './a.so',
    MY_API_TOKEN: 'secret',
    PLAIN: 'plain',
  }
  const host = { ...basicVariables, ...otherVariables }

  const environment = createCommandEnvironment({ ...basicOptions, host, isReadOnly: true })

  expect(environment).toMatchObject({ ...basicVariables, PAGER: 'cat', PIP_DISABLE_PIP_VERSION_CHECK: '1' })
  for (const name of Object.keys(otherVariables)) expect(environment).not.toHaveProperty(name)
  expect(createCommandEnvironment({ ...basicOptions, host })).toMatchObject(otherVariables)
})
