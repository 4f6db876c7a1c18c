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
let place: SandboxFixture
let shell: TestShell

beforeEach(() => {
  place = new SandboxFixture()
  const sandbox = place.sandbox({ enabled: true })
  shell = openTestShell((directory) => (id) => new Spill({ directory, id }), { sandbox })
})
afterEach(async () => {
  await shell.close()
  await place.remove()
})

/** Checks the permission and makes the call, as the pipeline does after the user has approved. */
async function call(input: CommandInput) {
  const { signal } = new AbortController()
  const command = analyseCommand(input.command, { cwd: place.project })
  const context = { toolUseId: 't', cwd: place.project, signal, options: { tools: [] }, shell: shell.port, command }
  const asked = await BashTool.checkPermissions(input, context as unknown as ToolContext<'shell'>)
  const { data } = await BashTool.call(input, context as never, async () => ({ behavior: 'allow' }), {
    type: 'assistant',
    content: [],
  })
  return { asked, data, text: String(BashTool.mapToolResultToToolResultBlockParam(data, 't').content) }
}

describe('in a sandbox', () => {
  test('a sed edit is previewed and written', async () => {
    const file = join(place.project, 'file')
    writeFileSync(file, 'one\n')
    const { asked, text } = await call({ command: `sed -i 's/one/two/' file` })

    expect(asked).toMatchObject({ behavior: 'passthrough', preview: expect.stringContaining('-one\n+two') })
    expect(text).toContain('file was changed as previewed.')
    expect(readFileSync(file, 'utf8')).toBe('two\n')
  })

  test('a write outside is refused with an explanation, and can be requested', async () => {
    const outside = join(place.root, 'outside')
    const { text, data } = await call({ command: `echo x > ${outside}` })

    expect(data.isFailure).toBe(true)
    expect(text).toContain(`The sandbox refused a write to ${outside}: `)
    expect(text.match(/dangerouslyDisableSandbox/g)).toHaveLength(1)
    expect(existsSync(outside)).toBe(false)
    const again = await call({ command: `echo x > ${outside}`, dangerouslyDisableSandbox: true })
    expect(again.asked.behavior).toBe('ask')
    expect(existsSync(outside)).toBe(true)
  })

  test('a sed edit outside is previewed, and refused on writing', async () => {
    const file = join(place.root, 'outside')
    writeFileSync(file, 'one\n')
    const { data, text } = await call({ command: `sed -i 's/one/two/' ${file}` })

    expect(data.isFailure).toBe(true)
    expect(text).toContain('could not be written')
    expect(readFileSync(file, 'utf8')).toBe('one\n')
  })
})
