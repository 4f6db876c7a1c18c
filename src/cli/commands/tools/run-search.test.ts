import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { CommandHost } from '../../io/command.js'
import { runSearch } from './run-search.js'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'haft-catalogue-'))
})
afterAll(() => rm(folder, { recursive: true }))

const CATALOGUE = [
  { id: 't1', name: 'send_message', server: 'slack', isMcp: true, description: 'Sends a message', corpus: 'x' },
  { id: 2, name: 'send_message', server: 'mail', description: 'Sends a message' },
  { name: 'get weather!', description: 'The forecast', inputSchema: { type: 'object' } },
  { name: 'Deploy', searchHint: 'put a site online' },
]

/** Runs the command. `outAtInput` contains the output at the time each input chunk is read. */
async function search(args: string[], { catalogue = CATALOGUE, input = [] as string[] } = {}) {
  const file = join(folder, 'catalogue.jsonl')
  const lines = catalogue.map((entry) => (typeof entry === 'string' ? entry : JSON.stringify(entry)))
  await writeFile(file, lines.join('\n'))
  const output = { out: '', err: '', outAtInput: [] as string[] }
  const host = {
    ...{ cwd: folder, homeDir: join(folder, 'home') },
    async *input() {
      for (const line of input) {
        output.outAtInput.push(output.out)
        yield Buffer.from(line)
      }
    },
    async write(text: string) {
      output.out += text
    },
  } as Partial<CommandHost> as CommandHost
  const code = await runSearch({
    args: args.map((arg) => arg.replace('FILE', file)),
    variables: {},
    platform: 'linux',
    homeDir: undefined,
    columns: undefined,
    isTerminal: false,
    out: (text) => {
      output.out += text
    },
    err: (text) => {
      output.err += text
    },
    host: async () => host,
  })
  return { code, ...output, lines: output.out.split('\n').slice(0, -1) }
}

const JSONL_ARGS = ['--jsonl', '--catalog', 'FILE']
const searchAll = async (queries: unknown[], args = JSONL_ARGS) => {
  const { lines } = await search(args, { input: queries.map((query, id) => `${JSON.stringify({ id, query })}\n`) })
  return lines.map((line) => JSON.parse(line).results)
}

describe('haft tools search --jsonl', () => {
  test('writes the results in query order, with the id of an entry, or its name if it has no id', async () => {
    expect(await searchAll(['forecast', 'select:send_message', '+mail send', 'put online', 'quantum'])).toEqual([
      ['get weather!'],
      ['t1', 2],
      [2],
      ['Deploy'],
      [],
    ])
  })

  test('finds an entry by name and by full name, ignoring case', async () => {
    expect(await searchAll(['MCP__slack__Send_Message', 'GET WEATHER!', 'select:mcp__mail__send_message'])).toEqual([
      expect.arrayContaining(['t1']),
      ['get weather!'],
      [2],
    ])
  })

  test('returns at most --max-results entries for every form of query', async () => {
    expect(await searchAll(['send', 'select:send_message,Deploy'], [...JSONL_ARGS, '--max-results', '1'])).toEqual([
      ['t1'],
      ['t1'],
    ])
  })

  test('writes each answer before reading the next line, and joins lines that are split into chunks', async () => {
    const input = ['{"id":"a","query":"deploy"}\n{"id":', '"b","query":"forecast"}\n', '{"query":"forecast"}']

    const { lines, outAtInput, code } = await search(JSONL_ARGS, { input })

    expect(outAtInput[1]).toBe('{"id":"a","results":["Deploy"]}\n')
    expect(lines.slice(1)).toEqual(['{"id":"b","results":["get weather!"]}', '{"id":null,"results":["get weather!"]}'])
    expect(code).toBe(0)
  })

  test('reports an invalid line in place and with the exit code', async () => {
    const input = [
      '{"id":1,"query":"deploy"}\n',
      'nonsense\n',
      '\n',
      '[]\n',
      '{"id":5,"query":7}\n',
      '{"id":6,"query":"deploy"}\n',
    ]

    const { lines, code } = await search(JSONL_ARGS, { input })

    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { id: 1, results: ['Deploy'] },
      { line: 2, error: expect.stringContaining('line 2 is not JSON') },
      { line: 3, error: 'line 3 is empty' },
      { line: 4, error: 'line 4 is not an object' },
      { line: 5, error: 'line 5 has no query string' },
      { id: 6, results: ['Deploy'] },
    ])
    expect(code).toBe(1)
  })
})

test('haft tools search reports an invalid catalogue line and uses the other lines', async () => {
  const catalogue = ['{', '7', '{"id":1}', CATALOGUE[3]] as typeof CATALOGUE

  const { out, err } = await search(['deploy', '--catalog', 'FILE'], { catalogue })

  expect(out).toBe('Deploy  put a site online\n')
  expect(
    err.split('\n').map((line) => /line (\d).*?(is not JSON|is not an object|has no name)/.exec(line)?.slice(1)),
  ).toEqual([['1', 'is not JSON'], ['2', 'is not an object'], ['3', 'has no name'], undefined])
})

describe('haft tools search with a query in words', () => {
  test('prints the results as text, best first', async () => {
    expect((await search(['+slack', 'send', '--catalog', 'FILE'])).out).toBe('send_message (slack)  Sends a message\n')
  })

  test('searches the deferred built-in tools if there is no catalogue', async () => {
    expect((await search(['tasklist'])).lines[0]).toBe('TaskList    list all subtasks')
    expect((await search(['weather forecast'])).out).toBe('No deferred tool matches "weather forecast".\n')
    expect((await search(['select:Bash,Nope'])).out).toBe('Bash  execute shell commands\nUnknown tool "Nope".\n')
  })

  test('reports in one short line that nothing matches', async () => {
    expect((await search(['quantum'])).out).toBe('No deferred tool matches "quantum".\n')
    expect((await search(['x'.repeat(100_000)])).out.length).toBeLessThan(200)
  })
})

test('haft tools search reports an unreadable catalogue in one line', async () => {
  await expect(search(['x', '--catalog', '/nowhere/to/be/found'])).rejects.toThrow(/^cannot read \/nowhere.*: ENOENT/)
})
