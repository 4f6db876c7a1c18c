import { expect, test } from 'vitest'
import { commandEnvironment } from './command-environment.js'

const basics = { cwd: '/project', mark: 'm.1;' }

test('what the host gives comes through, but not what would page, ask or change the command', () => {
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

  const environment = commandEnvironment({ ...basics, host })

  expect(environment).toMatchObject({ HOME: '/home/a', EMPTY: '', PAGER: 'cat', EDITOR: 'false', PWD: '/project' })
  for (const name of ['NONE', 'BASH_ENV', 'BASH_FUNC_git%%', 'CDPATH', 'CI'])
    expect(environment).not.toHaveProperty(name)
})

test('what the call asks for wins, but it cannot take the mark away', () => {
  const requested = { PAGER: 'more', HAFT_MARK: 'none' }

  expect(commandEnvironment({ ...basics, host: {}, requested })).toMatchObject({ PAGER: 'more', HAFT_MARK: 'm.1;' })
  expect(commandEnvironment({ ...basics, host: { HAFT_MARK: 'o.4;' }, requested }).HAFT_MARK).toBe('o.4;m.1;')
})
