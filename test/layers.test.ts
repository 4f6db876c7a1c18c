import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

/** The allowed imports, repeated independently of the configuration, so that a rule lost there is detected here. */
const ALLOWED_IMPORTS: Record<string, readonly string[]> = {
  shared: [],
  system: ['shared'],
  contract: ['shared'],
  shell: ['contract', 'shared'],
  edits: ['shared'],
  assembly: ['contract', 'shared'],
  hooks: ['contract', 'shared', 'system'],
  'tool-search': ['contract', 'shared'],
  results: ['contract', 'shared', 'system'],
  settings: ['contract', 'shared', 'system'],
  permissions: ['contract', 'shared', 'system', 'shell'],
  calls: ['contract', 'shared', 'system', 'shell', 'permissions', 'hooks', 'results', 'tool-search'],
  session: [
    'contract',
    'shared',
    'system',
    'settings',
    'assembly',
    'permissions',
    'hooks',
    'tool-search',
    'results',
    'calls',
  ],
  tools: ['contract', 'shared', 'shell', 'edits'],
  ports: ['contract', 'shared', 'system', 'shell', 'edits'],
  mcp: ['contract', 'shared', 'system'],
  providers: ['contract', 'shared', 'system'],
  runtime: [
    ...[
      'contract',
      'shared',
      'system',
      'shell',
      'assembly',
      'hooks',
      'tool-search',
      'results',
      'settings',
      'permissions',
    ],
    ...['calls', 'tools', 'ports', 'mcp', 'providers'],
  ],
  views: ['contract', 'shared'],
  terminal: ['contract', 'shared', 'system', 'session', 'views'],
  acp: ['contract', 'shared', 'calls', 'session', 'views'],
  inspector: ['contract', 'shared', 'system', 'session', 'views'],
  fleet: ['contract', 'shared', 'system', 'session', 'views', 'runtime'],
}
const SOURCE_FOLDERS = [...Object.keys(ALLOWED_IMPORTS), 'api', 'cli', 'sdk', 'testing']
const IO_FREE_LAYERS = [
  'shared',
  'contract',
  'shell',
  'edits',
  'assembly',
  'permissions',
  'tool-search',
  'calls',
  'tools',
]
const IO = ['node:fs', 'node:fs/promises', 'node:child_process', 'node:net', 'node:http', 'node:https']

/** A file that breaks a rule, its content, and the rule. */
type PlantedViolation = readonly [path: string, content: string, rule: string]

const FORBIDDEN_IMPORTS: readonly PlantedViolation[] = [
  ...Object.entries(ALLOWED_IMPORTS).flatMap(([from, allowedImports]) =>
    SOURCE_FOLDERS.filter((to) => to !== from && !allowedImports.includes(to)).map(
      (to): PlantedViolation => [`src/${from}/to-${to}.ts`, `import '../${to}/leaf.js'`, `layer-${from}`],
    ),
  ),
  ...IO_FREE_LAYERS.flatMap((folder) =>
    IO.map(
      (module, index): PlantedViolation => [
        `src/${folder}/io-${index}.ts`,
        `import '${module}'`,
        'io-only-through-ports',
      ],
    ),
  ),
  ['src/misc/new.ts', "import '../shared/leaf.js'", 'every-folder-is-in-the-table'],
  ['src/shared/ring-a.ts', "import type { B } from './ring-b.js'\nexport type A = B", 'no-circular'],
  ['src/index.ts', "import './cli/leaf.js'", 'the-library-is-not-the-command-line'],
  ['src/runtime/entry.ts', "import '../api/leaf.js'", 'roots-are-roots'],
  ['src/session/entry.ts', "import '../sdk/leaf.js'", 'roots-are-roots'],
  ['src/tools/one/other.ts', "import '../two/tool.js'", 'tools-are-islands'],
  ['src/tools/one/neighbour.ts', "import '../one-more/tool.js'", 'tools-are-islands'],
  ['src/tools/editing/other.ts', "import '../one/tool.js'", 'tools-are-islands'],
  ['src/contract/package.ts', "import 'left-pad'", 'contract-needs-only-zod'],
  ['src/session/fake.ts', "import '../testing/leaf.js'", 'fakes-stay-in-tests'],
  ['src/api/agent.ts', "import '../testing/leaf.js'", 'fakes-stay-in-tests'],
  ['src/session/asserts.ts', "import './leaf.test.js'", 'tests-are-leaves'],
]

/** Files that follow the rules; no rule may report them. */
const ALLOWED_SOURCES: readonly (readonly [path: string, content: string])[] = [
  ...Object.entries(ALLOWED_IMPORTS).flatMap(([from, allowedImports]) =>
    allowedImports.map((to) => [`src/${from}/may-${to}.ts`, `import '../${to}/leaf.js'`] as const),
  ),
  [
    'src/tools/one/shared.ts',
    "import '../editing/part.js'\nimport '../commands/part.js'\nimport '../documents/part.js'\nimport '../tasks/part.js'",
  ],
  ['src/ports/disk.ts', "import 'node:fs'"],
  ['src/tool-search/rank/words/load-lexicon.ts', "import 'node:fs'"],
  ['src/contract/schema.ts', "import 'zod'"],
  ['src/contract/own.test.ts', "import '../testing/leaf.js'\nimport 'node:fs'\nimport 'left-pad'"],
  ['src/cli/main.ts', "import '../runtime/leaf.js'\nimport '../terminal/leaf.js'"],
  ['src/api/testing.ts', "import '../testing/leaf.js'"],
]

const IMPORTED_FILES: readonly (readonly [path: string, content: string])[] = [
  ...SOURCE_FOLDERS.map((folder) => [`src/${folder}/leaf.ts`, 'export const leaf = 1'] as const),
  ['src/shared/ring-b.ts', "import type { A } from './ring-a.js'\nexport type B = A"],
  ...['code', 'editing', 'commands', 'documents', 'schedules', 'tasks', 'user-messages'].map(
    (part) => [`src/tools/${part}/part.ts`, 'export const part = 1'] as const,
  ),
  ['src/tools/one/tool.ts', 'export const tool = 1'],
  ['src/tools/two/tool.ts', 'export const tool = 2'],
  ['src/tools/one-more/tool.ts', 'export const tool = 3'],
  ['src/session/leaf.test.ts', 'export const asserts = 1'],
  ...['left-pad', 'zod'].flatMap((name) => [
    [`node_modules/${name}/package.json`, `{ "name": "${name}", "main": "index.js" }`] as const,
    [`node_modules/${name}/index.js`, 'module.exports = {}'] as const,
  ]),
  ['package.json', '{ "name": "planted", "type": "module", "dependencies": { "left-pad": "1", "zod": "1" } }'],
  ['tsconfig.json', '{ "compilerOptions": { "module": "nodenext" } }'],
]

const config = resolve('.dependency-cruiser.cjs')
let folder: string
let rulesByFile: Map<string, Set<string>>

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'haft-layers-'))
  for (const [path, content] of [...IMPORTED_FILES, ...ALLOWED_SOURCES, ...FORBIDDEN_IMPORTS]) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), content)
  }
  rulesByFile = await findViolations()
})

afterAll(() => rm(folder, { recursive: true, force: true }))

async function findViolations(): Promise<Map<string, Set<string>>> {
  const cruise = promisify(execFile)(
    resolve('node_modules/.bin/depcruise'),
    ['--config', config, '--output-type', 'json', 'src'],
    {
      cwd: folder,
      maxBuffer: 64 * 1024 * 1024,
    },
  )
  // Violations are expected here, and they set the exit code.
  const { stdout } = await cruise.catch((error: { stdout: string }) => error)
  const rules = new Map<string, Set<string>>()
  for (const { from, rule } of JSON.parse(stdout).summary.violations) {
    // Any lower severity would let the check pass.
    if (rule.severity !== 'error') continue
    rules.set(from, (rules.get(from) ?? new Set()).add(rule.name))
  }
  return rules
}

describe('a planted violation is caught by its own rule', () => {
  test.each(FORBIDDEN_IMPORTS)('%s: %s → %s', (path, _, rule) => {
    expect([...(rulesByFile.get(path) ?? [])]).toContain(rule)
  })
})

describe('allowed imports are not reported', () => {
  test.each(ALLOWED_SOURCES)('%s: %s', (path) => {
    expect([...(rulesByFile.get(path) ?? [])]).toEqual([])
  })
})

test('every rule has a planted violation', async () => {
  const { forbidden } = (await import(config)).default as { forbidden: { name: string }[] }
  expect(new Set(FORBIDDEN_IMPORTS.map(([, , rule]) => rule))).toEqual(new Set(forbidden.map(({ name }) => name)))
})

test('ARCHITECTURE.md lists the same allowed imports', async () => {
  const text = await readFile('ARCHITECTURE.md', 'utf8')
  for (const [from, allowedImports] of Object.entries(ALLOWED_IMPORTS)) {
    expect(text).toContain(
      `| \`${from}\` | ${allowedImports.length === 0 ? 'nothing' : allowedImports.map((to) => `\`${to}\``).join(', ')} |`,
    )
  }
})
