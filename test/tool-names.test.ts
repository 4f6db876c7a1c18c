import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { builtInTools } from '../src/tools/index.js'

/** The names and aliases of each built-in tool, by its folder in src/tools. */
const NAMES_BY_FOLDER = new Map(builtInTools.map(({ name, aliases = [] }) => [toFolderName(name), [name, ...aliases]]))
const ALL_COMPARISONS = createComparisonPatterns([...NAMES_BY_FOLDER.values()].flat())

function toFolderName(toolName: string): string {
  return toolName.replace(/(?<=[a-z])[A-Z]|\B[A-Z](?=[a-z])/g, '-$&').toLowerCase()
}

/**
 * Ways to make behaviour depend on a tool name: a comparison, a case, a lookup, a schema, or a constant or list for one
 * of those.
 */
function createComparisonPatterns(names: readonly string[]): readonly RegExp[] {
  const name = `['"\`](?:${names.join('|')})['"\`]`
  return [
    new RegExp(`[=!]==? *${name}`),
    new RegExp(`${name} *[=!]==?`),
    new RegExp(`\\bcase ${name}`),
    new RegExp(
      `(?:\\.has|\\.includes|\\.get|indexOf|toolMatchesName|findToolByName|startsWith|literal|enum)\\([^)]*${name}`,
    ),
    new RegExp(`(?:\\[|, *|^ *|= *)${name}(?:,|\\]|;|$)`),
    /\b[A-Z]\w+Tool\.name\b/,
  ]
}

/** Files that may name tools, and why a trait cannot express it. */
const ALLOWED_FILES: Readonly<Record<string, string>> = {
  'src/contract/flags.ts': 'the table of run-time flags lists the tools that each one adds or removes',
  'src/contract/build-flags.ts': 'the table of build flags lists the tools that each one adds',
  'src/session/agents/agent-kinds.ts': 'kinds of agents list their tools by name, as files of users do',
  'src/sdk/to-arguments.ts': 'Skill(name) is a word of the rules that the option skills stands for',
  'src/shell/words/expansions-of.ts': 'Glob is a node type of the shell parser',
  'src/session/agents/parse-agent-file.ts': 'Agent(kind) is a word of the format of agent files',
  'src/tools/exit-plan-mode/tool.ts':
    'Bash is a word of its input and of the rules that it suggests, not a tool to find',
}

/** Every source file except tests and test helpers, which define their own tools. */
function listSources(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.ts$/.test(entry.name) && !/\.test(-d)?\.ts$|^fixture-/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !/^src[\\/]testing[\\/]/.test(path))
}

/** The comparisons in a file. A tool may use its own names in its own folder. */
function findComparisons(text: string, path = ''): readonly string[] {
  const toolFolder = /^src[\\/]tools[\\/]([^\\/]+)[\\/]/.exec(path)?.[1]
  const comparisons = createPatternsOutside(toolFolder)
  return text
    .split('\n')
    .filter((line) => !/^\s*(?:\*|\/[/*])/.test(line) && comparisons.some((comparison) => comparison.test(line)))
    .map((line) => line.trim())
}

function createPatternsOutside(toolFolder: string | undefined): readonly RegExp[] {
  if (toolFolder === undefined || !NAMES_BY_FOLDER.has(toolFolder)) return ALL_COMPARISONS
  return createComparisonPatterns(
    [...NAMES_BY_FOLDER].flatMap(([folder, names]) => (folder === toolFolder ? [] : names)),
  )
}

test.each([
  "if (tool.name === 'ToolSearch') return",
  "    case 'Bash':",
  "const SKILL_TOOL = 'Skill'",
  "  'ApplyPatch',",
  "options.tools.some((tool) => toolMatchesName(tool, 'TaskOutput'))",
  'return toolName === ExitPlanModeTool.name',
])('the check detects the comparison with a tool name in %s', (line) => {
  expect(findComparisons(line)).toEqual([line.trim()])
})

test.each([
  ['src/tools/agent/prompt.ts', "return toolName === 'Agent'", 0],
  ['src/tools/agent/prompt.ts', "return toolName === 'Bash'", 1],
  ['src/tools/editing/apply.ts', "return toolName === 'Edit'", 1],
])('in %s, %s contains %i comparisons with the name of another tool', (path, line, count) => {
  expect(findComparisons(line, path)).toHaveLength(count)
})

test('every tool is in the folder of its name', () => {
  const folders = readdirSync('src/tools')
  expect([...NAMES_BY_FOLDER.keys()].filter((folder) => !folders.includes(folder))).toEqual([])
})

test('no code outside a tool compares its name', () => {
  const foundComparisons = listSources('src').flatMap((path) => {
    const lines = findComparisons(readFileSync(path, 'utf8'), path)
    return lines.length === 0 || path in ALLOWED_FILES ? [] : [{ path, lines }]
  })
  expect(foundComparisons).toEqual([])
})

test('every file that is allowed to compare tool names still contains a comparison', () => {
  const unusedEntries = Object.keys(ALLOWED_FILES).filter(
    (path) => findComparisons(readFileSync(path, 'utf8'), path).length === 0,
  )
  expect(unusedEntries).toEqual([])
})
