import { expect, test } from 'vitest'
import { removeSecretVariables } from './secret-variables.js'

const VARIABLES = {
  PATH: '/usr/bin',
  LANG: 'C.UTF-8',
  GH_TOKEN: 'x',
  AWS_ACCESS_KEY_ID: 'x',
  AWS_SECRET_ACCESS_KEY: 'x',
  AWS_REGION: 'eu',
  DB_PASSWORD: 'x',
  MY_SETTING: 'ghp_abcdefghijkl',
  MIRROR: 'https://user:pass@mirror.example.com/',
  SSH_AUTH_SOCK: '/run/agent',
}

test('variables that look like keys, tokens or passwords by name or value are removed', () => {
  const names = Object.keys(removeSecretVariables(VARIABLES, {}))

  expect(names).toEqual(['PATH', 'LANG', 'AWS_REGION', 'SSH_AUTH_SOCK'])
})

test('variables that the settings pass by name or by pattern are kept', () => {
  const names = Object.keys(removeSecretVariables(VARIABLES, { passedNames: ['GH_TOKEN', 'AWS_*'] }))

  expect(names).toEqual([
    'PATH',
    'LANG',
    'GH_TOKEN',
    'AWS_ACCESS_KEY_ID',
    'AWS_SECRET_ACCESS_KEY',
    'AWS_REGION',
    'SSH_AUTH_SOCK',
  ])
})

test('a variable in hiddenNames is removed even if it does not look like a secret, unless the settings pass it', () => {
  const hidingOptions = { hiddenNames: ['LANG'] }

  expect(removeSecretVariables(VARIABLES, hidingOptions)).not.toHaveProperty('LANG')
  expect(removeSecretVariables(VARIABLES, { ...hidingOptions, passedNames: ['LANG'] })).toHaveProperty('LANG')
})

test('a pattern for variable names is not read as a regular expression', () => {
  const passedVariables = removeSecretVariables({ A_TOKEN: 'x', 'A.TOKEN': 'x' }, { passedNames: ['A.TOKEN', '(['] })

  expect(Object.keys(passedVariables)).toEqual(['A.TOKEN'])
})
