import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonSchema } from '../contract/schema.js'
import { inputJSONSchemaOf } from '../contract/tool/input-json-schema.js'
import type { Tool } from '../contract/tool/tool.js'
import type { View } from '../contract/views.js'
import { type CallFacts, type CallState, describeCall, describeGroup, searchTextOf } from '../views/call-view.js'
import { anyText, findControlSequence, HOSTILE_TEXTS } from '../views/fixture-views.js'
import { renderPlainText } from '../views/plain-text.js'
import { renderView } from '../views/render-view.js'
import { textOfLine } from '../views/styled-line.js'
import { widthOfLine } from '../views/text-width.js'
import { chooseTheme } from '../views/themes.js'
import { toAnsi } from '../views/to-ansi.js'
import { builtInTools } from './index.js'

const STATES: readonly CallState[] = ['queued', 'waiting-for-permission', 'running', 'done', 'rejected', 'failed']
const THEME = chooseTheme({ name: 'dark', variables: { TERM: 'xterm-256color', VTE_VERSION: '7600' } })

/** Generates values that a schema accepts. Only the keywords that the built-in tools use are supported. */
function createValues(schema: JsonSchema): fc.Arbitrary<unknown> {
  const {
    const: constant,
    enum: choices,
    anyOf,
    oneOf,
    type,
  } = schema as Record<string, unknown> & {
    readonly enum?: unknown[]
    readonly anyOf?: JsonSchema[]
    readonly oneOf?: JsonSchema[]
  }
  if (constant !== undefined) return fc.constant(constant)
  if (choices !== undefined) return fc.constantFrom(...choices)
  if (anyOf !== undefined || oneOf !== undefined) return fc.oneof(...(anyOf ?? oneOf ?? []).map(createValues))
  if (type === 'object') return createObjects(schema)
  if (type === 'array')
    return fc.array(createValues((schema.items ?? {}) as JsonSchema), { minLength: 1, maxLength: 4 })
  if (type === 'string')
    return fc.oneof(anyText, fc.constantFrom(SAMPLE_PATCH, SAMPLE_MATCHES, 'src/a.ts', ...HOSTILE_TEXTS))
  if (type === 'boolean') return fc.boolean()
  if (type === 'null') return fc.constant(null)
  return fc.nat(100_000)
}

function createObjects(schema: JsonSchema): fc.Arbitrary<Record<string, unknown>> {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>)
  const requiredKeys = (schema.required ?? []) as string[]
  return fc.record(Object.fromEntries(properties.map(([name, property]) => [name, createValues(property)])), {
    requiredKeys,
  })
}

const SAMPLE_PATCH = '@@ -3,3 +3,3 @@\n a\n-const b = 1\n+const b = 2\n c\n\\ No newline at end of file'
const SAMPLE_MATCHES = 'src/a.ts:12:const match = 1\nsrc/a.ts-13-around\nsrc/b.ts:1:\tmatch'

function createOutputs(tool: Tool): fc.Arbitrary<unknown> {
  return createValues(tool.outputSchema?.['~standard'].jsonSchema?.output({ target: 'draft-2020-12' }) ?? {})
}

function draw(view: View | undefined, width?: number): string[] {
  return view === undefined ? [] : renderView(view, { verbose: true, width }).map(textOfLine)
}

/** Removes white space, because padding, tabs and line breaks differ between text and screen. */
const removeSpaces = (text: string) => text.replace(/\s+/g, '')

/** Returns everything that a surface shows of a call, in all states. */
function describeInAllStates(call: Omit<CallFacts, 'state'>): View[] {
  return STATES.flatMap((state) =>
    [false, true].flatMap((verbose) => {
      const { title, body = '', activity, summary = '' } = describeCall({ ...call, state }, { verbose })
      const group = describeGroup(
        [
          { ...call, state },
          { ...call, state },
        ],
        { verbose },
      )
      return [title, body, activity, summary, group?.title ?? '']
    }),
  )
}

describe.each(builtInTools.map((tool) => [tool.name, tool] as const))('%s', (toolName, tool) => {
  const inputs = createObjects(inputJSONSchemaOf(tool))

  test('every prefix of a streamed input is drawn in every state', () => {
    fc.assert(
      fc.property(inputs, fc.nat(300), (input, length) => {
        const prefix = parsePrefix(JSON.stringify(input).slice(0, length))
        // An error that is thrown here fails the test. An assertion for each view would take most of its time.
        for (const view of describeInAllStates({ toolName, tool, input: prefix })) draw(view)
        tool.renderToolUseMessage(prefix as object, { verbose: false })
      }),
      { numRuns: 60 },
    )
  })

  test('the summary of a call is at most 50 characters', () => {
    fc.assert(
      fc.property(inputs, (input) => {
        const { summary = '' } = describeCall({ toolName, tool, input, state: 'running' }, { verbose: false })
        expect(summary.length).toBeLessThanOrEqual(50)
      }),
      { numRuns: 60 },
    )
  })

  test('what search finds in a result is on the screen', () => {
    if (tool.extractSearchText === undefined) return
    fc.assert(
      fc.property(inputs, createOutputs(tool), (input, output) => {
        const call: CallFacts = { toolName, tool, input, output, state: 'done' }
        const screen = removeSpaces(draw(describeCall(call, { verbose: true }).body).join('\n'))
        for (const line of searchTextOf(call).split('\n')) {
          // A plan, an answer and a skill are Markdown, whose marks are not drawn.
          const words = drawsMarkdown(tool, output) ? (line.match(/^[a-z]+$/g) ?? []) : [draw(line).join('')]
          for (const word of words) expect(screen).toContain(removeSpaces(word))
        }
      }),
      { numRuns: 60 },
    )
  })

  test('no view is wider than the screen or contains a control sequence', () => {
    fc.assert(
      fc.property(inputs, createOutputs(tool), fc.constantFrom(40, 1, 13, 200), (input, output, width) => {
        const call = { toolName, tool, input, output, resultText: HOSTILE_TEXTS.join('x'), progress: [output] }
        const lines = describeInAllStates(call).flatMap((view) =>
          renderView(view, { verbose: true, width, cwd: '/work' }),
        )
        expect(lines.filter((line) => widthOfLine(line) > width)).toEqual([])
        expect(lines.filter((line) => findControlSequence(toAnsi(line, THEME)) !== undefined)).toEqual([])
      }),
      { numRuns: 25 },
    )
  })

  test('a result that is not truncated shows the same with verbose', () => {
    if (tool.isResultTruncated === undefined) return
    fc.assert(
      fc.property(createOutputs(tool), (output) => {
        const call: CallFacts = { toolName, tool, input: {}, output, state: 'done' }
        const [brief, verbose] = [false, true].map((isVerbose) => {
          const { body = '' } = describeCall(call, { verbose: isVerbose })
          return renderView(body, { verbose: isVerbose })
            .map(textOfLine)
            .filter((line) => line.trim() !== '')
        })
        if (!describeCall(call, { verbose: false }).isTruncated) expect(brief).toEqual(verbose)
      }),
      { numRuns: 60 },
    )
  })
})

/** Parses incomplete JSON by closing the open brackets and quotes. */
function parsePrefix(prefix: string): unknown {
  for (const end of ['', '"', '"}', '}', 'null}', ':null}', '":null}', ']}', '"]}', '}]}', '"}]}']) {
    try {
      return JSON.parse(prefix + end)
    } catch {
      // Not valid JSON with this ending; the next one is tried.
    }
  }
  return {}
}

function drawsMarkdown(tool: Tool, output: unknown): boolean {
  return JSON.stringify(tool.renderToolResultMessage?.(output, [], { verbose: true }) ?? '').includes(
    '"type":"markdown"',
  )
}

describe('views of calls', () => {
  const findTool = (name: string) => builtInTools.find((tool) => tool.name === name) as Tool
  const describeDone = (name: string, input: unknown, output: unknown, verbose = false) => {
    const { title, body = '' } = describeCall(
      { toolName: name, tool: findTool(name), input, output, state: 'done' },
      { verbose },
    )
    return [title, body].flatMap((view) => renderView(view, { verbose }).map(textOfLine))
  }

  test('an edit is drawn as a diff with line numbers', () => {
    const output = {
      filePath: '/w/a.ts',
      isNew: false,
      strategy: 'verbatim',
      count: 1,
      patch: SAMPLE_PATCH,
      remarks: [],
    }
    expect(describeDone('Edit', { file_path: 'a.ts' }, output)).toEqual([
      'Edit a.ts',
      '3   a',
      '4 - const b = 1',
      '4 + const b = 2',
      '5   c',
    ])
  })

  test('the question about an edit shows what it would change', () => {
    const input = { file_path: 'a.ts', old_string: 'x\n', new_string: 'y\n' }
    const { body = '', isDestructive } = describeCall(
      { toolName: 'Edit', tool: findTool('Edit'), input, state: 'waiting-for-permission' },
      { verbose: false },
    )
    expect(draw(body)).toEqual(['- x', '+ y'])
    expect(isDestructive).toBe(false)
  })

  test('matches are marked and linked with their lines', () => {
    const output = {
      ...{ mode: 'content', text: SAMPLE_MATCHES, entries: 2, more: 0, offset: 0, unsearched: [] },
      query: { pattern: 'match', path: '.', isNarrowed: false, ignoresCase: false },
    }
    expect(describeDone('Grep', { pattern: 'match' }, output)).toEqual(['Grep match', 'Found 2 lines'])
    const { body = '' } = describeCall(
      { toolName: 'Grep', tool: findTool('Grep'), input: {}, output, state: 'done' },
      { verbose: true },
    )
    const [, line = []] = renderView(body, { verbose: true, cwd: '/w' })
    expect(line.find(({ text }) => text === 'src/a.ts:12')?.style?.href).toBe('file:///w/src/a.ts#12')
    expect(line.find(({ text }) => text === 'match')?.style?.tone).toBe('match')
  })

  test('the place of a symbol is shown once, and code that failed shows only its error', () => {
    const hover = { operation: 'hover', filePath: 'a.ts', line: 3, character: 7 }
    expect(describeDone('LSP', hover, { type: 'hover', text: 'const a' })).toEqual(['LSP hover a.ts:3:7', 'const a'])
    const failed = { output: '', failure: 'This is a shell command.', notes: [], calls: [], images: [] }
    expect(describeDone('REPL', { code: 'ls' }, failed)).toEqual(['REPL ls', 'This is a shell command.'])
  })

  test('a pattern that could take exponential time is not searched again for display', () => {
    const output = {
      ...{ mode: 'content', text: `a:1:${'a'.repeat(40)}!`, entries: 1, more: 0, offset: 0, unsearched: [] },
      query: { pattern: '(a+)+$', path: '.', isNarrowed: false, ignoresCase: false },
    }
    expect(describeDone('Grep', {}, output, true).at(-1)).toBe(`  a:1:${'a'.repeat(40)}!`)
  })

  test('several reads, or reads with searches, are drawn in one line', () => {
    const read: CallFacts = { toolName: 'Read', tool: findTool('Read'), input: { file_path: 'a.ts' }, state: 'done' }
    const search: CallFacts = { toolName: 'Grep', tool: findTool('Grep'), input: { pattern: 'x' }, state: 'done' }
    const describe = (calls: readonly CallFacts[]) => {
      const group = describeGroup(calls, { verbose: false })
      return group === undefined ? undefined : renderView(group.title, { verbose: false }).map(textOfLine)
    }
    expect(describe([read, read, read])).toEqual(['Read 3 files'])
    expect(describe([read, { ...read, state: 'running' }])).toEqual(['Reading 2 files'])
    expect(describe([read, search, { ...read, state: 'failed' }])).toEqual(['Read 2 files, searched once, 1 failed'])
    expect(describe([read, { ...read, toolName: 'Edit', tool: findTool('Edit') }])).toBeUndefined()
  })

  test('a command that only lists, searches or reads is grouped like the tools for it', () => {
    const groupOf = (command: string) =>
      describeCall({ toolName: 'Bash', tool: findTool('Bash'), input: { command }, state: 'done' }, { verbose: false })
        .group
    const { group } = describeCall(
      { toolName: 'Grep', tool: findTool('Grep'), input: { pattern: 'x' }, state: 'done' },
      { verbose: false },
    )
    expect(['ls -l', 'rg x src', 'cat a.ts', 'rm a.ts', 'ls && rm a'].map(groupOf)).toEqual([
      group,
      group,
      group,
      undefined,
      undefined,
    ])
  })

  test('a tool without views has a title, its arguments and its result as text or formatted JSON', () => {
    const call: CallFacts = {
      toolName: 'mcp__a__b',
      input: { query: 'x', limit: 3 },
      state: 'done',
      resultText: '{"a":[1]}',
    }
    const { title, body = '' } = describeCall(call, { verbose: false })
    expect(renderPlainText(title)).toBe('mcp__a__b query: x, limit: 3')
    expect(draw(body)).toEqual(['{', '  "a": [', '    1', '  ]', '}'])
    expect(draw(describeCall({ ...call, state: 'waiting-for-permission' }, { verbose: false }).body)).toEqual([
      'query: x',
      'limit: 3',
    ])
    expect(
      draw(describeCall({ ...call, state: 'failed', resultText: 'No such thing' }, { verbose: false }).body),
    ).toEqual(['No such thing'])
  })
})
