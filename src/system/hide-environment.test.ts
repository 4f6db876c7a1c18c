import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { afterAll, beforeAll, expect, test } from 'vitest'

const PROGRAM_SOURCE = `
import { execFileSync } from 'node:child_process'
import { hideInitialVariables } from './hide-environment.ts'
hideInitialVariables((name) => name.startsWith('SECRET_'))
const shown = execFileSync('cat', ['/proc/' + process.pid + '/environ'], { encoding: 'utf8', env: {} })
console.log(JSON.stringify({ shown: shown.split('\\0'), kept: process.env.SECRET_ONE, other: process.env.OTHER }))
`

let folder: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'haft-environ-'))
  await build({
    stdin: { contents: PROGRAM_SOURCE, resolveDir: import.meta.dirname },
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile: join(folder, 'program.mjs'),
    logLevel: 'error',
  })
})
afterAll(() => rmSync(folder, { recursive: true }))

test.runIf(process.platform === 'linux')(
  'another program does not see secret variables in /proc, and the process itself keeps them',
  async () => {
    const env = { PATH: process.env.PATH, SECRET_ONE: 'hunter2 äö', SECRET_EMPTY: '', OTHER: 'plain' }

    const { stdout } = await promisify(execFile)(process.execPath, [join(folder, 'program.mjs')], { env })

    const { shown, kept, other } = JSON.parse(stdout)
    expect(shown).toContain('OTHER=plain')
    expect(shown).toContain('SECRET_ONE=************')
    expect([kept, other]).toEqual(['hunter2 äö', 'plain'])
  },
)
