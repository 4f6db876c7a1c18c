import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * A call that a model can easily send, perhaps with files that a repository may contain, and that once occupied the event loop
 * for up to a minute. `expected` matches a part of the result: a fast wrong result does not count.
 * @typedef {{
 *   name: string,
 *   tool: string,
 *   expected: RegExp,
 *   prepare: (folder: string) => { input: Record<string, unknown>, reads?: readonly string[] },
 * }} BlockingCase
 */

const MEGABYTE = 1_000_000
const EQUAL_LINE = '    return value;\n'
const CELL_OUTPUT = { output_type: 'stream', name: 'stdout', text: ['1\n', '2\n'] }
const EQUAL_LINES = EQUAL_LINE.repeat(MEGABYTE / EQUAL_LINE.length)

/** @type {readonly BlockingCase[]} */
export const BLOCKING_CASES = [
  createEditCase('Edit, near miss in 1 MB of equal lines', {
    content: EQUAL_LINES,
    old_string: `${EQUAL_LINE.trimStart().repeat(20_000)}return other;\n`,
  }),
  createEditCase('Edit, near miss in one line of 1 MB', {
    content: 'a'.repeat(MEGABYTE),
    old_string: `b${'a'.repeat(MEGABYTE / 2)}`,
  }),
  createEditCase('Edit, near miss in 1 MB with mixed line ends', {
    content: EQUAL_LINES.replaceAll('\n', '\r\n').replace('\r\n', '\n'),
    old_string: `${EQUAL_LINE.repeat(20_000)}return other;\n`,
  }),
  createEditCase('Edit, near miss in 1 MB of look-alikes', {
    content: 'a“b” '.repeat(MEGABYTE / 10),
    old_string: `c${'"b" a'.repeat(20_000)}`,
  }),
  createEditCase('Edit, near miss in 500 kB of lines with look-alikes', {
    content: 'é“ö”\n'.repeat(MEGABYTE / 10),
    old_string: `${'é"ö"\n'.repeat(20_000)}z`,
  }),
  createEditCase('Edit, near miss in 500 kB of long lines with look-alikes', {
    content: `${'é“ö” '.repeat(100)}\n`.repeat(1_000),
    old_string: `${`${'é"ö" '.repeat(100)}\n`.repeat(400)}z`,
  }),
  createEditCase('Edit with escapes', {
    content: 'const text = "some words in a line of code"\n'.repeat(MEGABYTE / 44),
    old_string: `${'const text = \\"some words in a line of code\\"\\n'.repeat(10_000)}other`,
  }),
  {
    name: 'MultiEdit with 2,000 edits',
    tool: 'MultiEdit',
    expected: /Changed .* in 2000 places/,
    prepare(folder) {
      const file_path = join(folder, 'many-edits.txt')
      const names = Array.from({ length: 2_000 }, (_, index) => `entry number ${index};`)
      writeFileSync(file_path, names.map((name) => `${name} ${'x'.repeat(480)}\n`).join(''))
      const edits = names.map((name) => ({ old_string: name, new_string: name.toUpperCase() }))
      return { input: { file_path, edits }, reads: [file_path] }
    },
  },
  {
    name: 'NotebookEdit in 100,000 cells',
    tool: 'NotebookEdit',
    expected: /Replaced the code cell id-99999/,
    prepare(folder) {
      const notebook_path = writeNotebook(folder)
      return { input: { notebook_path, cell_id: 'id-99999', new_source: 'print(2)' }, reads: [notebook_path] }
    },
  },
  {
    name: 'Read of 100,000 cells',
    tool: 'Read',
    expected: /exceeds the limit/,
    prepare: (folder) => ({ input: { file_path: writeNotebook(folder) } }),
  },
  {
    name: 'Read of 60,000 cells with outputs',
    tool: 'Read',
    expected: /exceeds the limit/,
    prepare: (folder) => ({ input: { file_path: writeNotebook(folder, 60_000, [CELL_OUTPUT]) } }),
  },
  {
    name: 'ApplyPatch with 2,000 files',
    tool: 'ApplyPatch',
    expected: /too large for one call/,
    prepare: (folder) => ({ input: { patch: createPatch(folder, 2_000) } }),
  },
  {
    name: 'ApplyPatch with 60,000 chunks',
    tool: 'ApplyPatch',
    expected: /too large for one call/,
    prepare: () => ({
      input: { patch: `*** Begin Patch\n*** Update File: a\n${'@@\n-a\n+b\n'.repeat(60_000)}*** End Patch` },
    }),
  },
  {
    name: 'MultiEdit with 300,000 edits that are none',
    tool: 'MultiEdit',
    expected: /at most 20000 items/,
    prepare: () => ({ input: { file_path: 'a', edits: Array.from({ length: 300_000 }, () => 1) } }),
  },
  {
    name: 'TodoWrite with 20,000 items',
    tool: 'TodoWrite',
    expected: /at most 1000 items/,
    prepare: () => ({
      input: { todos: Array.from({ length: 20_000 }, () => ({ content: 'a', status: 'pending', activeForm: 'b' })) },
    }),
  },
  {
    name: 'TodoWrite with 20,000 items that are none',
    tool: 'TodoWrite',
    expected: /at most 1000 items/,
    prepare: () => ({ input: { todos: Array.from({ length: 20_000 }, () => ({ text: 'a' })) } }),
  },
  {
    name: 'Grep with 1 MB of names',
    tool: 'Grep',
    expected: /the limit is 10000/,
    prepare: () => ({ input: { pattern: 'a', glob: `{${'a,'.repeat(MEGABYTE / 2)}b}` } }),
  },
  {
    name: 'ApplyPatch with 200 files, the most it accepts',
    tool: 'ApplyPatch',
    expected: /Created .*file-0/s,
    prepare: (folder) => ({ input: { patch: createPatch(folder, 200) } }),
  },
  {
    name: 'Write of 10 MB, new file',
    tool: 'Write',
    expected: /Created/,
    prepare: (folder) => ({ input: { file_path: join(folder, 'new.txt'), content: createLargeText('some') } }),
  },
  {
    name: 'Write of 10 MB, replaced file',
    tool: 'Write',
    expected: /Replaced/,
    prepare(folder) {
      const file_path = join(folder, 'replaced.txt')
      writeFileSync(file_path, createLargeText('some'))
      return { input: { file_path, content: createLargeText('more') }, reads: [file_path] }
    },
  },
  {
    name: 'Read of a missing name beside 100,000 files',
    tool: 'Read',
    expected: /does not exist/,
    prepare(folder) {
      const crowdedFolder = join(folder, 'crowded')
      mkdirSync(crowdedFolder)
      for (let index = 0; index < 100_000; index++) writeFileSync(join(crowdedFolder, `component-${index}.ts`), '')
      return { input: { file_path: join(crowdedFolder, 'component-x.ts') } }
    },
  },
  {
    name: 'Glob with 1 MB of alternatives',
    tool: 'Glob',
    expected: /The pattern has \d+ characters/,
    prepare: () => ({
      input: { pattern: `{${'alternative-with-a-long-name-of-a-file/some-file.ts,'.repeat(20_000)}x}` },
    }),
  },
  {
    name: 'Glob with the longest pattern',
    tool: 'Glob',
    expected: /No file in .* matches/,
    prepare: () => ({ input: { pattern: `{${'name-of-a-file,'.repeat(600)}x}` } }),
  },
  {
    name: 'Glob with 9,000 brackets that are not closed',
    tool: 'Glob',
    expected: /Unclosed/,
    prepare: () => ({ input: { pattern: '[!'.repeat(4_500) } }),
  },
  {
    name: 'Read of a path of 100,000 characters',
    tool: 'Read',
    expected: /longer than/,
    prepare: () => ({ input: { file_path: `${'a/'.repeat(50_000)}x` } }),
  },
  {
    name: 'Read of a missing path of 2,000 folders',
    tool: 'Read',
    expected: /too long to look up/,
    prepare: () => ({ input: { file_path: `${'a/'.repeat(2_000)}x` } }),
  },
  {
    name: 'Read of a path that leaves 900 missing folders again',
    tool: 'Read',
    expected: /too long to look up/,
    prepare: () => ({ input: { file_path: `${'a/'.repeat(900)}${'../'.repeat(900)}x` } }),
  },
  {
    name: 'Read of a missing path within the limits for folders',
    tool: 'Read',
    expected: /does not exist/,
    prepare: () => ({ input: { file_path: `${'a/'.repeat(90)}${'../'.repeat(16)}x` } }),
  },
  {
    name: 'Edit with 1,000,000 replacements',
    tool: 'Edit',
    expected: /replaced|replacements|occurrences|updated/i,
    prepare(folder) {
      const file_path = join(folder, 'replacements.txt')
      writeFileSync(file_path, 'a\n'.repeat(1_000_000))
      return { input: { file_path, old_string: 'a', new_string: 'b', replace_all: true }, reads: [file_path] }
    },
  },
  {
    name: 'Read of 9 MB of carriage returns',
    tool: 'Read',
    expected: /^1\t/,
    prepare(folder) {
      const file_path = join(folder, 'returns.txt')
      writeFileSync(file_path, '\r'.repeat(9 * MEGABYTE))
      return { input: { file_path } }
    },
  },
  {
    name: 'Read of a notebook of 2 MB of brackets',
    tool: 'Read',
    expected: /\[\[/,
    prepare(folder) {
      const file_path = join(folder, 'brackets.ipynb')
      writeFileSync(file_path, '['.repeat(2 * MEGABYTE))
      return { input: { file_path } }
    },
  },
  ...Object.entries({
    'one cell with 3,000,000 brackets': () => `${'['.repeat(1_500_000)}${']'.repeat(1_500_000)}`,
    'a cell with 1,500,000 lists': () => `[${'[],'.repeat(1_500_000)}1]`,
    'a cell with 1,500,000 numbers': () => `[${'12345,'.repeat(1_500_000)}1]`,
    'a cell with 7,000,000 quotes': () => JSON.stringify(createCell({ source: '"'.repeat(7 * MEGABYTE) })),
    'a cell with 1,000,000 lines': () => JSON.stringify(createCell({ source: Array(MEGABYTE).fill('a\n') })),
    'an image of 14 MB': () => JSON.stringify(createCell({ outputs: [createImageOutput()] })),
  }).flatMap(([name, createLastCell]) => createNotebookCases(name, createLastCell)),
  {
    name: 'Read of metadata with 3,000,000 brackets',
    tool: 'Read',
    expected: /metadata/,
    prepare(folder) {
      const file_path = join(folder, 'metadata.ipynb')
      writeFileSync(file_path, `{"cells":[],"metadata":${'['.repeat(1_500_000)}${']'.repeat(1_500_000)}}`)
      return { input: { file_path } }
    },
  },
  {
    name: 'Read with 60,000 unknown keys',
    tool: 'Read',
    expected: /has 60000 keys/,
    prepare: () => ({ input: Object.fromEntries(Array.from({ length: 60_000 }, (_, index) => [`key${index}`, 1])) }),
  },
  {
    name: 'TodoWrite with an item of 60,000 keys',
    tool: 'TodoWrite',
    expected: /has 60000 keys/,
    prepare: () => ({
      input: { todos: [Object.fromEntries(Array.from({ length: 60_000 }, (_, index) => [`key${index}`, 1]))] },
    }),
  },
  {
    name: 'TodoWrite with the most items it accepts',
    tool: 'TodoWrite',
    expected: /updated/,
    prepare: () => ({
      input: { todos: Array.from({ length: 1_000 }, () => ({ content: 'a', status: 'pending', activeForm: 'b' })) },
    }),
  },
  {
    name: 'ApplyPatch with a line of 100,000 @',
    tool: 'ApplyPatch',
    expected: /not in the file/,
    prepare(folder) {
      const file_path = join(folder, 'anchor.txt')
      writeFileSync(file_path, 'a\n')
      const chunk = `@@ a${'@'.repeat(100_000)}b\n-a\n+b`
      return {
        input: { patch: `*** Begin Patch\n*** Update File: ${file_path}\n${chunk}\n*** End Patch` },
        reads: [file_path],
      }
    },
  },
  {
    name: 'Grep with 2,000,000 matches and no limit',
    tool: 'Grep',
    expected: /word/,
    prepare(folder) {
      const path = join(folder, 'matches.txt')
      writeFileSync(path, 'word\n'.repeat(2 * MEGABYTE))
      return { input: { pattern: 'word', path, output_mode: 'content', head_limit: 0 } }
    },
  },
  {
    name: 'ApplyPatch with 150 files below 90 missing folders',
    tool: 'ApplyPatch',
    expected: /Created .*\/0\/file/s,
    prepare(folder) {
      const start = join(folder, 'a/'.repeat(90))
      const sections = Array.from({ length: 150 }, (_, index) => `*** Add File: ${start}${index}/file\n+a\n`)
      return { input: { patch: `*** Begin Patch\n${sections.join('')}*** End Patch` } }
    },
  },
  {
    name: 'AskUserQuestion with 50,000 questions',
    tool: 'AskUserQuestion',
    expected: /at most 20000 items/,
    prepare: () => ({ input: { questions: Array.from({ length: 50_000 }, () => ({ question: 'a?', header: 'b' })) } }),
  },
  {
    name: 'ToolSearch with a query of 1 MB',
    tool: 'ToolSearch',
    expected: /limit is/,
    prepare: () => ({ input: { query: createWords(MEGABYTE) } }),
  },
  {
    name: 'ToolSearch with the longest query',
    tool: 'ToolSearch',
    expected: /No deferred tool matches|<functions>/,
    prepare: () => ({ input: { query: createWords(20_000) } }),
  },
  {
    name: 'Bash, 500,000 lines as a here-document',
    tool: 'Bash',
    expected: /too large to be analysed/,
    prepare: () => ({
      input: { command: `cat <<'END' > /dev/null\n${'a line of the document\n'.repeat(500_000)}END` },
    }),
  },
  ...Object.entries({
    '20,000 brackets in arithmetic': `echo $((${'('.repeat(20_000)}1${')'.repeat(20_000)}))`,
    '150,000 brackets in arithmetic': `echo $((${'('.repeat(150_000)}1${')'.repeat(150_000)}))`,
    '400,000 patterns of a case': `case x in ${'a|'.repeat(400_000)}b) ls;; esac`,
    '9,000 different parts': `true${Array.from({ length: 9_000 }, (_, index) => ` | a${index}`).join('')}`,
    '400,000 quotes': `echo ${"'' ".repeat(200_000)}`,
    '200,000 quotes': `echo ${"'' ".repeat(99_000)} > a`,
    '280,000 double quotes': `echo ${'"'.repeat(280_000)}`,
    '140,000 escaped quotes': `echo ${'\\"'.repeat(140_000)}`,
    '50,000 quotes that are not closed': `touch a; echo "${'\\"'.repeat(50_000)}`,
    'eval of 20,000 commands': `eval '${'ls;'.repeat(20_000)}'`,
    'awk with 60,000 parts': `awk '{${'print $1;'.repeat(60_000)}}' a`,
    'find with 8,000 brackets': `find missing ${'\\( '.repeat(8_000)}-name x ${'\\) '.repeat(8_000)}`,
    '3,000 nested substitutions': `echo ${'$('.repeat(3_000)}ls${')'.repeat(3_000)}`,
    'sed with 50,000 blocks': `sed -n '${'{'.repeat(50_000)}p${'}'.repeat(50_000)}' a`,
    '30,000 pipes': `true ${'| cat '.repeat(30_000)}`,
    'a path of 6,000 parents': `cat ${'../'.repeat(6_000)}x`,
    'a path of 9,000 folders': `cat ${'a/'.repeat(9_000)}x`,
    '900 piped searches': `true${Array.from({ length: 900 }, (_, index) => `|rg w${index} src/${index}`).join('')}`,
    '200 piped searches': `true${Array.from({ length: 200 }, (_, index) => `|rg w${index} src/${index}`).join('')}`,
    '1,900 paths': `cat ${Array.from({ length: 1_900 }, (_, index) => `src/${index}`).join(' ')}`,
    '1,900 deleted paths': `rm ${Array.from({ length: 1_900 }, (_, index) => `src/${index}`).join(' ')}`,
    'docker with 1,900 volumes': `docker run ${Array.from({ length: 1_900 }, (_, index) => `-va${index}:b`).join(' ')} x`,
    'one word with 2,400 values': `missing-program ${'a:b,c=d/'.repeat(2_400)}`,
  }).map(([name, command]) => createBashCase(name, command)),
  {
    name: 'Bash, 1 MB of words',
    tool: 'Bash',
    expected: /./s,
    prepare: () => ({ input: { command: `true ${'word '.repeat(MEGABYTE / 5)}` } }),
  },
]

/**
 * Makes small calls that load the modules, whose load time would be measured otherwise.
 * @param {(name: string, input: Record<string, unknown>) => Promise<string>} call
 * @param {string} folder
 */
export async function loadTools(call, folder) {
  const path = join(folder, 'small.txt')
  await call('Write', { file_path: path, content: 'a\n' })
  await call('Edit', { file_path: path, old_string: 'missing', new_string: 'b' })
  await call('ToolSearch', { query: 'notebook' })
  // Most commands are refused after their analysis.
  await call('Bash', { command: 'touch touched | cat b; cat c' })
  const notebook_path = join(folder, 'small.ipynb')
  writeFileSync(notebook_path, JSON.stringify({ cells: [createCell({})], metadata: {}, nbformat: 4 }))
  await call('Read', { file_path: notebook_path })
  await call('NotebookEdit', { notebook_path, cell_id: 'last', new_source: '' })
  await call('TodoWrite', { todos: [{}] })
  await call('Glob', { pattern: '*.none' })
  await call('Read', { file_path: join(folder, 'missing.txt') })
  await call('ApplyPatch', { patch: `*** Begin Patch\n*** Update File: ${path}\n-a\n+b\n*** End Patch` })
}

/**
 * Views that are hard to draw. `bench/blocking.mjs` draws them with `renderView`.
 * @type {readonly { name: string, view: import('../../src/contract/views.js').View }[]}
 */
export const DRAWING_CASES = [
  {
    name: '20,000 items',
    view: { type: 'list', items: Array.from({ length: 20_000 }, (_, index) => `item ${index}`) },
  },
  { name: '20,000 items of Markdown', view: { type: 'markdown', text: '- item *number* one\n'.repeat(20_000) } },
  { name: '200,000 wide characters', view: { type: 'text', text: '字'.repeat(200_000) } },
  { name: '70,000 combined characters', view: { type: 'text', text: 'e\u0301\u0301'.repeat(70_000) } },
  { name: '40,000 flags', view: { type: 'text', text: '🇩🇪'.repeat(40_000) } },
  { name: '100,000 escape sequences', view: { type: 'text', text: '\x1b[31m'.repeat(100_000) } },
  { name: '500 levels of quotations', view: { type: 'markdown', text: `${'> '.repeat(500)}a\n`.repeat(20) } },
  { name: '50,000 backticks', view: { type: 'markdown', text: '` '.repeat(50_000) } },
  { name: '50,000 stars in 12 lines', view: { type: 'markdown', text: `${'*a '.repeat(1_300)}\n`.repeat(12) } },
  { name: '100,000 lines', view: { type: 'text', text: 'word\n'.repeat(100_000) } },
  { name: 'one line of 1 MB', view: { type: 'text', text: 'word '.repeat(MEGABYTE / 5) } },
  {
    name: '20,000 rows of a table',
    view: {
      type: 'table',
      columns: ['name', 'value'],
      rows: Array.from({ length: 20_000 }, (_, index) => [`name ${index}`, `value ${index}`]),
    },
  },
]

/**
 * Cases that read and edit a notebook whose last cell is hard to parse.
 * @param {string} name
 * @param {() => string} createLastCell
 * @returns {readonly BlockingCase[]}
 */
function createNotebookCases(name, createLastCell) {
  const write = (/** @type {string} */ folder) => {
    const path = join(folder, `${name.replace(/\W+/g, '-')}.ipynb`)
    const allCells = [JSON.stringify(createCell({ id: 'first' })), createLastCell()].join(',\n')
    writeFileSync(path, `{"cells":[${allCells}],"metadata":{},"nbformat":4,"nbformat_minor":5}`)
    return path
  }
  return [
    {
      name: `Read of a notebook with ${name}`,
      tool: 'Read',
      expected: /first/,
      prepare: (folder) => ({ input: { file_path: write(folder), offset: 1, limit: 1 } }),
    },
    {
      name: `Read of all of a notebook with ${name}`,
      tool: 'Read',
      expected: /first|exceeds the limit/,
      prepare: (folder) => ({ input: { file_path: write(folder) } }),
    },
    {
      name: `NotebookEdit with ${name}`,
      tool: 'NotebookEdit',
      expected: /Replaced|nests its values too deeply/,
      prepare(folder) {
        const notebook_path = write(folder)
        return { input: { notebook_path, cell_id: 'first', new_source: 'b' }, reads: [notebook_path] }
      },
    },
  ]
}

/** @param {Record<string, unknown>} members */
function createCell(members) {
  return { cell_type: 'code', execution_count: null, id: 'last', metadata: {}, outputs: [], source: ['a'], ...members }
}

function createImageOutput() {
  const image = Buffer.alloc(10 * MEGABYTE, 7)
  Buffer.from('89504e470d0a1a0a0000000d4948445200000001000000010806', 'hex').copy(image)
  return { output_type: 'display_data', metadata: {}, data: { 'image/png': `${image.toString('base64')}\n` } }
}

/**
 * @param {string} name
 * @param {string} command
 * @returns {BlockingCase}
 */
function createBashCase(name, command) {
  return { name: `Bash, ${name}`, tool: 'Bash', expected: /./s, prepare: () => ({ input: { command } }) }
}

/**
 * @param {string} name
 * @param {{ content: string, old_string: string }} edit
 * @returns {BlockingCase}
 */
function createEditCase(name, { content, old_string }) {
  return {
    name,
    tool: 'Edit',
    expected: /was not found|too large/,
    prepare(folder) {
      const file_path = join(folder, `${name.replace(/\W+/g, '-')}.txt`)
      writeFileSync(file_path, content)
      return { input: { file_path, old_string, new_string: 'new' }, reads: [file_path] }
    },
  }
}

/**
 * @param {string} folder
 * @param {number} count
 */
function createPatch(folder, count) {
  const sections = Array.from(
    { length: count },
    (_, index) => `*** Add File: ${join(folder, 'patched', `file-${index}`)}\n+content ${index}\n`,
  )
  return `*** Begin Patch\n${sections.join('')}*** End Patch`
}

/**
 * @param {string} folder
 * @param {number} count
 * @param {readonly unknown[]} outputs
 */
function writeNotebook(folder, count = 100_000, outputs = []) {
  const path = join(folder, `cells-${count}.ipynb`)
  const cells = Array.from({ length: count }, (_, index) => ({
    cell_type: 'code',
    execution_count: null,
    id: `id-${index}`,
    metadata: {},
    outputs,
    source: ['print(1)'],
  }))
  writeFileSync(path, JSON.stringify({ cells, metadata: {}, nbformat: 4, nbformat_minor: 5 }, null, 1))
  return path
}

/** @param {string} word */
function createLargeText(word) {
  return `${word} text in the lines of a large file\n`.repeat((10 * MEGABYTE) / 39)
}

/** @param {number} length */
function createWords(length) {
  return Array.from({ length: length / 8 }, (_, index) => `word${index}`)
    .join(' ')
    .slice(0, length)
}
