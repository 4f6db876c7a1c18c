import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import type { CommandHost } from '../../io/command.js'
import { checkLines } from './check-lines.js'
import { PermissionSource } from './permission-source.js'

/** Decides about a command for each value of the field `sandbox`. Undefined omits the field. */
async function behaviorsOf(command: string, sandboxes: readonly unknown[], hasSandbox: boolean): Promise<string[]> {
  const writtenLines: string[] = []
  const lines = sandboxes.map((sandbox, id) => ({ id, tool: 'Bash', input: { command }, cwd: '/', rules: {}, sandbox }))
  const host = {
    cwd: '/',
    homeDir: '/none',
    input: () => Readable.from(lines.map((line) => `${JSON.stringify(line)}\n`)),
    write: async (text: string) => {
      writtenLines.push(text)
    },
  } as unknown as CommandHost
  const source = { homeDir: '/none', trust: false, onProblem: () => undefined, canConfine: async () => hasSandbox }
  await checkLines(host, new PermissionSource(source))
  return writtenLines.map((text) => (JSON.parse(text) as { behavior: string }).behavior)
}

test('an input line is decided by its sandbox field, or else by whether this machine has a sandbox', async () => {
  expect(await behaviorsOf('sed -n 1p a', [true, false, undefined, 'no'], true)).toEqual([
    'allow',
    'ask',
    'allow',
    'deny',
  ])
  expect(await behaviorsOf('sed -n 1p a', [true, undefined], false)).toEqual(['allow', 'ask'])
  expect(await behaviorsOf('head -1 a', [false], false)).toEqual(['allow'])
})
