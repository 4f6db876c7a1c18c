import { expect, test } from 'vitest'
import { runHelper } from './run-helper.js'

const options = { env: { HAFT_TEST: 'given' }, cwd: '/', timeoutMs: 20_000, maxBytes: 1000 }

test('runHelper returns the output and the exit code of a shell command', async () => {
  expect(await runHelper('echo "$HAFT_TEST" "$PWD"; echo complaint >&2; exit 3', options)).toEqual({
    exitCode: 3,
    stdout: 'given /\n',
  })
})

test('runHelper returns no output if the command takes too long, prints too much or is killed', async () => {
  const noOutput = { exitCode: undefined, stdout: '' }

  expect(await runHelper('echo secret; sleep 1000', { ...options, timeoutMs: 50 })).toEqual(noOutput)
  expect(await runHelper('yes', options)).toEqual(noOutput)
  expect(await runHelper('echo secret; kill -9 $$', options)).toEqual(noOutput)
  expect(await runHelper('echo', { ...options, cwd: '/does/not/exist' })).toEqual(noOutput)
})
