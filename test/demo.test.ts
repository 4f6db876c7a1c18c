import { readdir } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { createHeadlessFixture } from './lib/headless-fixture.js'

const { run, file } = createHeadlessFixture()

test('haft demo runs real tools on screen and writes a transcript that can be opened', async () => {
  const { code, stdout, stderr } = await run(['demo'], { variables: { TMPDIR: file('.') } })

  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toMatch(/4 calls in parallel/)
  expect(stdout).toMatch(/\? Edit needs approval.*\n.*yes, this once\n.*✓ Edit src\/cart\.js/)
  expect(stdout).toMatch(/✓ Bash node --test/)
  expect(stdout).toMatch(/PreToolUse hook: generated\//)
  expect(stdout).toMatch(/✗ Write generated\/prices\.js/)
  expect(stdout).toMatch(/✓ Bash node scripts\/report\.js.*\n.*Long result: 1\d\d,\d{3} characters/)
  expect(stdout).toMatch(/✓ ToolSearch send a message.*\n.*<functions>\n.*mcp__office__send_/)
  expect(stdout).toMatch(/✓ mcp__office__send_message/)
  expect(stdout).not.toContain('\u001b')
  expect(stdout).toMatch(/Temporary project folder: .+haft-demo-/)
  expect((await readdir(file('.'))).filter((name) => name.startsWith('haft-demo-'))).toEqual([])

  const session = /haft --resume (\S+)/.exec(stdout)?.[1] ?? ''
  const resumedOutcome = await run(['--resume', session])

  expect(resumedOutcome.code).toBe(0)
  expect(resumedOutcome.stdout).toContain('Customers report that they are charged too little.')
  expect(resumedOutcome.stdout).toContain('src/cart.js applies the discount twice')
  expect(resumedOutcome.stdout).toContain('mcp__office__send_message')
})

test('haft demo takes no arguments', async () => {
  expect(await run(['demo', 'fast'])).toMatchObject({
    code: 2,
    stderr: 'haft: demo takes no arguments. See haft demo --help.\n',
  })
})
