import { symlink } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { createFileRuntime } from './lib/file-runtime.js'

const denyRules = (...rules: readonly string[]) => ({ permissions: { deny: rules } })

test.each([
  ['a similar name', 'Read(secrets.txt)', 'secrets.txt', 'secret.txt'],
  ['the same name with another extension', 'Read(*.pem)', 'key.pem', 'key.txt'],
  ['a name in a denied folder', 'Read(vault/**)', 'vault/plan.txt', 'vault/plam.txt'],
  ['a denied folder', 'Read(vault)', 'vault/plan.txt', 'valt/plan.txt'],
  ['a path with the same last part', 'Read(/conf/**)', 'conf/prod.env', 'src/conf/prod.env'],
])('%s is not suggested if a rule denies it', async (_, rule, existingName, missingName) => {
  const files = await createFileRuntime(denyRules(rule))
  await files.put(existingName, 'x')
  const unrestrictedRuntime = await createFileRuntime()
  await unrestrictedRuntime.put(existingName, 'x')

  const { text, isError } = await files.use('Read', { file_path: missingName })

  expect(isError).toBe(true)
  expect(text).not.toContain(files.toPath(existingName))
  expect(text).not.toMatch(/Did you mean/)
  expect((await unrestrictedRuntime.use('Read', { file_path: missingName })).text).toContain(
    `Did you mean ${unrestrictedRuntime.toPath(existingName)}?`,
  )
})

test('a link to a denied file is not suggested either', async () => {
  const files = await createFileRuntime(denyRules('Read(//**/secret.txt)'))
  await files.put('secret.txt', 'x')
  await symlink(files.toPath('secret.txt'), files.toPath('notes.txt'))

  expect((await files.use('Read', { file_path: 'note.txt' })).text).not.toMatch(/Did you mean/)
})

test('permitted names are suggested even if others are denied', async () => {
  const files = await createFileRuntime(denyRules('Read(plan1.txt)'))
  await files.put('plan1.txt', 'x')
  await files.put('plan2.txt', 'x')

  expect((await files.use('Read', { file_path: 'plan.txt' })).text).toContain(
    `Did you mean ${files.toPath('plan2.txt')}?`,
  )
})

test.each([
  ['Write', () => ({ file_path: 'vault/plan.txt', content: 'y' })],
  ['Edit', () => ({ file_path: 'vault/plan.txt', old_string: '', new_string: 'y' })],
  ['ApplyPatch', () => ({ patch: '*** Begin Patch\n*** Add File: vault/plan.txt\n+y\n*** End Patch' })],
  [
    'ApplyPatch',
    () => ({ patch: '*** Begin Patch\n*** Update File: a.txt\n*** Move to: vault/plan.txt\n*** End Patch' }),
  ],
])('%s does not reveal whether a denied file exists', async (name, input) => {
  const files = await createFileRuntime(denyRules('Read(vault/**)'))
  await files.put('a.txt', 'x')
  await files.use('Read', { file_path: 'a.txt' })
  const resultWhileMissing = await files.use(name, input())
  await files.put('vault/plan.txt', 'x')
  const resultWhilePresent = await files.use(name, input())

  expect([resultWhileMissing.isError, resultWhileMissing.text]).toEqual([
    true,
    expect.stringContaining('denies this call'),
  ])
  expect(resultWhilePresent.text).toBe(resultWhileMissing.text)
})
