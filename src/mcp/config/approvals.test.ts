import { expect, test } from 'vitest'
import { createMemoryPrivateFiles } from '../../testing/files/memory-private-files.js'
import { approveServer, forgetApproval, readApprovals } from './approvals.js'

const entry = { command: 'npx', args: ['-y', 'server@1'], env: { KEY: `\${KEY}` } }

test('a server stays approved for its project until its command changes', async () => {
  const files = createMemoryPrivateFiles()
  await approveServer(files, '/project', 'one', entry)

  const projectApprovals = await readApprovals(files, '/project')
  const cloneApprovals = await readApprovals(files, '/clone')

  expect(projectApprovals.has('one', { env: entry.env, args: entry.args, command: entry.command })).toBe(true)
  expect(projectApprovals.has('one', { ...entry, disabled: true, timeoutMs: 5 })).toBe(true)
  for (const changedEntry of [
    { ...entry, command: 'sh' },
    { ...entry, args: ['-y', 'server@2'] },
    { ...entry, env: { KEY: `\${AWS_SECRET}` } },
    { ...entry, cwd: '/' },
    { url: 'https://example.com', headersHelper: 'x' },
  ])
    expect(projectApprovals.has('one', changedEntry), JSON.stringify(changedEntry)).toBe(false)
  expect(projectApprovals.has('two', entry)).toBe(false)
  expect(cloneApprovals.has('one', entry)).toBe(false)
})

test('approvals of several servers and projects are independent, and each can be revoked', async () => {
  const texts = new Map<string, string>()
  const files = createMemoryPrivateFiles(texts)
  await approveServer(files, '/a', 'one', entry)
  await approveServer(files, '/a', 'two', entry)
  await approveServer(files, '/b', 'one', entry)

  await forgetApproval(files, '/a', 'one')

  const a = await readApprovals(files, '/a')
  expect([a.has('one', entry), a.has('two', entry)]).toEqual([false, true])
  expect((await readApprovals(files, '/b')).has('one', entry)).toBe(true)

  await forgetApproval(files, '/a', 'two')
  await forgetApproval(files, '/b', 'one')
  expect(texts.size).toBe(0)
})

test.each(['{', '[]', '{ "projects": 1 }'])(
  'an invalid approvals file (%s) approves no server and is not overwritten',
  async (brokenContent) => {
    const texts = new Map([['approvals.json', brokenContent]])
    const files = createMemoryPrivateFiles(texts)

    const approvals = await readApprovals(files, '/project')

    expect(approvals.has('one', entry)).toBe(false)
    expect(approvals.problem).toMatch(/approvals\.json .* is invalid/)
    await expect(approveServer(files, '/project', 'one', entry)).rejects.toThrow(/is invalid/)
    expect(texts.get('approvals.json')).toBe(brokenContent)
  },
)
