import { expect, test } from 'vitest'
import { builtInTools } from './index.js'

/** Converts a call of another agent's tool as the runtime does: the first tool that knows the name and accepts the input. */
function convert(name: string, input: Record<string, unknown>) {
  for (const tool of builtInTools) {
    const convertedInput = tool.foreignNames?.[name]?.(input)
    if (convertedInput !== undefined) return { tool: tool.name, input: convertedInput }
  }
  return undefined
}

test.each<[string, Record<string, unknown>, string, Record<string, unknown>]>([
  ['LS', { path: 'my src', ignore: ['x'] }, 'Bash', { command: "ls -la 'my src'" }],
  ['LS', { path: '-R' }, 'Bash', { command: 'ls -la ./-R' }],
  ['list_dir', {}, 'Bash', { command: 'ls -la .' }],
  ['bash', { command: 'ls' }, 'Bash', { command: 'ls' }],
  ['shell', { command: ['bash', '-lc', 'npm test | tail'] }, 'Bash', { command: 'npm test | tail' }],
  ['shell', { command: ['git', 'log', 'a b'], workdir: 'x y' }, 'Bash', { command: "(cd 'x y' && git log 'a b')" }],
  ['local_shell', { command: 'ls', timeout_ms: 5 }, 'Bash', { command: 'ls', timeout: 5 }],
  [
    'run_terminal_cmd',
    { command: 'npm start', is_background: true, explanation: 'Starts it' },
    'Bash',
    { command: 'npm start', run_in_background: true, description: 'Starts it' },
  ],
  ['BashOutput', { bash_id: 'b1', filter: 'x' }, 'TaskOutput', { task_id: 'b1', block: false }],
  ['KillShell', { shell_id: 'b1' }, 'TaskStop', { task_id: 'b1' }],
  ['KillBash', { shell_id: 'b1' }, 'TaskStop', { task_id: 'b1' }],
  ['view', { path: 'a.ts', view_range: [3, 5] }, 'Read', { file_path: 'a.ts', offset: 3, limit: 3 }],
  ['read_file', { target_file: 'a.ts' }, 'Read', { file_path: 'a.ts' }],
  [
    'str_replace_based_edit_tool',
    { command: 'view', path: 'a.ts', view_range: [3, -1] },
    'Read',
    { file_path: 'a.ts', offset: 3 },
  ],
  [
    'str_replace_based_edit_tool',
    { command: 'str_replace', path: 'a.ts', old_str: 'x', new_str: 'y' },
    'Edit',
    { file_path: 'a.ts', old_string: 'x', new_string: 'y' },
  ],
  [
    'str_replace_editor',
    { command: 'str_replace', path: 'a', old_str: 'x' },
    'Edit',
    { file_path: 'a', old_string: 'x', new_string: '' },
  ],
  [
    'str_replace_based_edit_tool',
    { command: 'create', path: 'a.ts', file_text: 'x' },
    'Write',
    { file_path: 'a.ts', content: 'x' },
  ],
  ['web_fetch', { url: 'https://a.test/' }, 'WebFetch', { url: 'https://a.test/' }],
  ['web_search', { search_term: 'cats' }, 'WebSearch', { query: 'cats' }],
  ['grep_search', { query: 'x', include_pattern: '*.ts' }, 'Grep', { pattern: 'x', glob: '*.ts' }],
])('%s with %j becomes %s with an input that its schema accepts', async (name, input, toolName, convertedInput) => {
  expect(convert(name, input)).toEqual({ tool: toolName, input: convertedInput })
  const tool = builtInTools.find((each) => each.name === toolName)
  expect(await tool?.inputSchema['~standard'].validate(convertedInput)).not.toHaveProperty('issues')
})

test('an input that no tool can follow is not converted', () => {
  expect(convert('str_replace_based_edit_tool', { command: 'undo_edit', path: 'a' })).toBeUndefined()
  expect(convert('shell', { command: [1] })).toBeUndefined()
})

test('no foreign name is the name or an alias of a built-in tool', () => {
  const names = new Set(builtInTools.flatMap(({ name, aliases = [] }) => [name, ...aliases]))
  expect(
    builtInTools.flatMap(({ foreignNames = {} }) => Object.keys(foreignNames)).filter((name) => names.has(name)),
  ).toEqual([])
})
