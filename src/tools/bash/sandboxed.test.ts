import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect } from 'vitest'
import type { ToolContext } from '../../contract/tool/tool.js'
import { SandboxFixture } from '../../ports/sandbox/fixture-sandbox.js'
import { Spill } from '../../results/spill.js'
import { analyseCommand } from '../../shell/analyse-command.js'
import { openTestShell, type TestShell } from '../../testing/test-shell.js'
import { testWithProgram } from '../../testing/test-with-program.js'
import type { CommandInput } from '../commands/command-input.js'
import { BashTool } from './tool.js'

const test = testWithProgram('bwrap', 'bubblewrap')
let fixture: SandboxFixture
let shell: TestShell

beforeEach(() => {
  fixture = new SandboxFixture()
  const sandbox = fixture.openSandbox({ enabled: true })
  shell = openTestShell((directory) => (id) => new Spill({ directory, id }), { sandbox })
})
afterEach(async () => {
  await shell.close()
  await fixture.remove()
})

/** Checks permission and makes the call, as the pipeline does once the user has approved. */
async function call(input: CommandInput) {
  const { signal } = new AbortController()
  const command = analyseCommand(input.command, { cwd: fixture.project })
  const context = { toolUseId: 't', cwd: fixture.project, signal, options: { tools: [] }, shell: shell.port, command }
  const permission = await BashTool.checkPermissions(input, context as unknown as ToolContext<'shell'>)
  const { data } = await BashTool.call(input, context as never, async () => ({ behavior: 'allow' }), {
    type: 'assistant',
    content: [],
  })
  return { permission, data, text: String(BashTool.mapToolResultToToolResultBlockParam(data, 't').content) }
}

describe('in a sandbox', () => {
  test('a sed edit is previewed and written', async () => {
    const file = join(fixture.project, 'file')
    writeFileSync(file, 'one\n')
    const { permission, text } = await call({ command: `sed -i 's/one/two/' file` })

    expect(permission).toMatchObject({ behavior: 'passthrough', preview: expect.stringContaining('-one\n+two') })
    expect(text).toContain('file was changed as previewed.')
    expect(readFileSync(file, 'utf8')).toBe('two\n')
  })

  test('a write outside the project is refused with an explanation, and possible with approval', async () => {
    const outsidePath = join(fixture.root, 'outside')
    const { text, data } = await call({ command: `echo x > ${outsidePath}` })

    expect(data.isFailure).toBe(true)
    expect(text).toContain(`The sandbox refused a write to ${outsidePath}: `)
    expect(text.match(/dangerouslyDisableSandbox/g)).toHaveLength(1)
    expect(existsSync(outsidePath)).toBe(false)
    const secondResult = await call({ command: `echo x > ${outsidePath}`, dangerouslyDisableSandbox: true })
    expect(secondResult.permission.behavior).toBe('ask')
    expect(existsSync(outsidePath)).toBe(true)
  })

  test('a sed edit outside the project is previewed, and refused on writing', async () => {
    const file = join(fixture.root, 'outside')
    writeFileSync(file, 'one\n')
    const { data, text } = await call({ command: `sed -i 's/one/two/' ${file}` })

    expect(data.isFailure).toBe(true)
    expect(text).toContain('outside could not be changed')
    expect(readFileSync(file, 'utf8')).toBe('one\n')
  })

  test('a command whose reads are all known can read only the working folders, and one with unknown reads can read other folders too', async () => {
    writeFileSync(join(fixture.root, 'outside'), 'OUTSIDE')
    const run = (analysedText: string) => {
      const command = `cat ${fixture.root}/outside`
      const analysis = analyseCommand(analysedText, { cwd: fixture.project })
      const request = { id: 't', command, cwd: fixture.project, confinement: 'read-only', analysis } as const
      return shell.port.run(request, { signal: new AbortController().signal })
    }

    expect((await run('cat file')).output.text).toMatch(/No such file or directory/)
    expect((await run('cat ../outside')).output.text).toBe('OUTSIDE')
    expect((await run('cat "$FILE"')).output.text).toBe('OUTSIDE')
  })
})
