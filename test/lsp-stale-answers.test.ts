import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished } from 'vitest'
import { createToolRuntime } from '../src/runtime/create-tool-runtime.js'
import { testWithProgram } from '../src/testing/test-with-program.js'
import { builtInTools } from '../src/tools/index.js'

const ROUNDS = 50
const toModulePath = (name: string) => fileURLToPath(new URL(`../node_modules/${name}`, import.meta.url))
const languageServers = {
  typescript: { command: process.execPath, args: [toModulePath('typescript/bin/tsc'), '--lsp', '--stdio'] },
}
/** Adds an empty line at the top of a file. */
const FORMATTER_SCRIPT = `
const fs = require('node:fs')
fs.writeFileSync(process.argv.at(-1), '\\n' + fs.readFileSync(process.argv.at(-1), 'utf8'))
`
const formatters = {
  lines: { command: process.execPath, args: ['-e', FORMATTER_SCRIPT], extensions: ['.ts'] },
}

async function createProject() {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'haft-lsp-stale-')))
  const runtime = createToolRuntime({
    tools: builtInTools,
    cwd: folder,
    ask: async () => ({ behavior: 'allow' }),
    machine: { languageServers, formatters },
  })
  onTestFinished(async () => {
    await runtime.dispose()
    await rm(folder, { recursive: true, force: true })
  })
  let count = 0
  const call = async (name: string, input: object) => {
    const [result] = await runtime.run([{ type: 'tool_use', id: `toolu_${++count}`, name, input }]).results
    expect(result?.is_error ?? false, String(result?.content)).toBe(false)
    return String(result?.content)
  }
  return { folder, call, bash: (command: string) => call('Bash', { command }) }
}

describe('the answer of a server', { timeout: 120_000 }, () => {
  testWithProgram('git')(
    `of ${ROUNDS} answers right after writes of commands, formatters, git checkout and other programs, none is stale`,
    async () => {
      const { folder, call, bash } = await createProject()
      const put = (name: string, text: string) => writeFile(join(folder, name), text)
      await put('tsconfig.json', '{ "compilerOptions": { "strict": true, "types": [], "module": "nodenext" } }')
      await put('target.ts', 'export const target = 1\nexport const other = 2\n')
      await put('closed.ts', 'export const target = 1\nexport const other = 2\n')
      await put('use.ts', "import { target } from './closed.js'\nexport const used = target\n")
      await bash(
        [
          'git init -q . && git config user.email a@b.c && git config user.name a && git add . && git commit -qm one',
          'git checkout -qb long && printf "// a\\n// b\\n// c\\nexport const target = 1\\n" | tee closed.ts > target.ts && git commit -qam two',
          'git checkout -q -',
        ].join('\n'),
      )
      const writes = [
        () => bash("sed -i '1i // line' target.ts closed.ts"),
        async () => {
          await call('Read', { file_path: 'target.ts' })
          await call('Edit', { file_path: 'target.ts', old_string: 'target = ', new_string: 'target = 1 + ' })
        },
        () => bash('git checkout -qf long'),
        () =>
          bash(
            'mv target.ts moved.ts && printf "// x\\n" | cat - moved.ts > target.ts && cp target.ts closed.ts && rm moved.ts',
          ),
        () => bash('git checkout -qf long~1'),
        async () => {
          await put('target.ts', `${'\n'.repeat(7)}export const target = 1\n`)
          await put('closed.ts', `${'\n'.repeat(8)}export const target = 1\n`)
        },
      ]
      const staleAnswers: string[] = []

      for (let round = 0; round < ROUNDS; round++) {
        await writes[round % writes.length]?.()
        // Half of the answers are about a file that is open in the server, the others about one that it reads itself.
        const isOpen = round % 4 >= 2
        const lines = (await readFile(join(folder, isOpen ? 'target.ts' : 'closed.ts'), 'utf8')).split('\n')
        const line = lines.findIndex((text) => text.includes('const target')) + 1
        const answer = isOpen
          ? await call('LSP', { operation: 'documentSymbol', filePath: 'target.ts' })
          : await call('LSP', { operation: 'goToDefinition', filePath: 'use.ts', line: 2, character: 21 })
        if (!answer.includes(`\n  ${line}:14 `)) staleAnswers.push(`round ${round}, line ${line}: ${answer}`)
      }

      expect(staleAnswers).toEqual([])
    },
  )

  testWithProgram('git')('new, moved and deleted files and folders are known to the next request', async () => {
    const { folder, call, bash } = await createProject()
    await writeFile(join(folder, 'tsconfig.json'), '{ "compilerOptions": { "strict": true, "module": "nodenext" } }')
    await writeFile(join(folder, 'use.ts'), "import { a } from './deep/er/a.js'\nexport const used = a\n")
    const diagnose = () => call('LSP', { operation: 'diagnostics', filePath: 'use.ts' })

    expect(await diagnose()).toContain("Cannot find module './deep/er/a.js'")
    await bash('mkdir -p deep/er && echo "export const a = 1" > deep/er/a.ts')
    expect(await diagnose()).toContain('No problem')
    await bash('mv deep elsewhere')
    expect(await diagnose()).toContain('Cannot find module')
    await bash('mv elsewhere deep')
    expect(await diagnose()).toContain('No problem')
    await bash('echo "export const b = 1" > deep/er/a.ts')
    expect(await diagnose()).toContain("no exported member 'a'")
    await bash('rm -r deep && mkdir -p deep/er && echo "export const a = 2" > deep/er/a.ts')
    expect(await diagnose()).toContain('No problem')
    await bash(
      'mkdir -p node_modules/pkg && echo "{ \\"name\\": \\"pkg\\", \\"types\\": \\"i.d.ts\\" }" > node_modules/pkg/package.json',
    )
    await bash('echo "export const p: number" > node_modules/pkg/i.d.ts && echo "export { p } from \'pkg\'" >> use.ts')
    expect(await diagnose()).toContain('No problem')
  })
})
