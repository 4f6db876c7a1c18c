import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { builtInTools } from '../src/tools/index.js'

const NAMES = builtInTools.flatMap(({ name, aliases = [] }) => [name, ...aliases])
const NAME = `['"\`](?:${NAMES.join('|')})['"\`]`

/**
 * Ways to make behaviour depend on a tool name: a comparison, a case, a lookup, or a constant or list for one of those.
 */
const COMPARISONS = [
  new RegExp(`[=!]==? *${NAME}`),
  new RegExp(`${NAME} *[=!]==?`),
  new RegExp(`\\bcase ${NAME}`),
  new RegExp(`(?:\\.has|\\.includes|\\.get|indexOf|toolMatchesName|findToolByName|startsWith)\\([^)]*${NAME}`),
  new RegExp(`(?:\\[|, *|^ *|= *)${NAME}(?:,|\\]|;|$)`),
  /\b[A-Z]\w+Tool\.name\b/,
]

/** Files that may name tools, and why a trait cannot express it. */
const ALLOWED: Readonly<Record<string, string>> = {
  'src/contract/flags.ts': 'the table of run-time flags lists the tools that each one adds or removes',
  'src/contract/build-flags.ts': 'the table of build flags lists the tools that each one adds',
  'src/session/agents/agent-kinds.ts': 'kinds of agents list their tools by name, as files of users do',
  'src/shell/words/expand-word.ts': 'Glob is a node type of the shell parser',
  'src/session/agents/parse-agent-file.ts': 'Agent(kind) is a word of the format of agent files',
}

/** Every source file outside the tools. Test helpers define their own tools. */
function listSources(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.ts$/.test(entry.name) && !/\.test(-d)?\.ts$|^fixture-/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !/^src[\\/](?:tools|testing)[\\/]/.test(path))
}

function comparisonsIn(text: string): readonly string[] {
  return text
    .split('\n')
    .filter((line) => !/^\s*(?:\*|\/[/*])/.test(line) && COMPARISONS.some((comparison) => comparison.test(line)))
    .map((line) => line.trim())
}

test.each([
  "if (tool.name === 'ToolSearch') return",
  "    case 'Bash':",
  "const SKILL_TOOL = 'Skill'",
  "  'ApplyPatch',",
  "options.tools.some((tool) => toolMatchesName(tool, 'TaskOutput'))",
  'return toolName === ExitPlanModeTool.name',
])('the comparison in %s is found', (line) => {
  expect(comparisonsIn(line)).toEqual([line.trim()])
})

test('no code outside a tool compares its name', () => {
  const found = listSources('src').flatMap((path) => {
    const lines = comparisonsIn(readFileSync(path, 'utf8'))
    return lines.length === 0 || path in ALLOWED ? [] : [{ path, lines }]
  })
  expect(found).toEqual([])
})

test('every file that may name tools still does', () => {
  const unusedEntries = Object.keys(ALLOWED).filter((path) => comparisonsIn(readFileSync(path, 'utf8')).length === 0)
  expect(unusedEntries).toEqual([])
})
